#include "siliconprof/core/dtype.h"

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, kDtypeCount + 1> kNames{"float64", "float32",  "tf32",
                                                               "float16", "bfloat16", "int32"};
constexpr std::array<std::int64_t, kDtypeCount + 1> kSizes{8, 4, 4, 2, 2, 4};
constexpr std::span<const std::string_view> kComputed(kNames.data(), kDtypeCount);

}  // namespace

std::int64_t size_bytes(Dtype dtype) { return kSizes[static_cast<std::size_t>(dtype)]; }

std::string_view name(Dtype dtype) { return kNames[static_cast<std::size_t>(dtype)]; }

std::span<const std::string_view> dtype_names() { return kComputed; }

Dtype statistics_dtype(Dtype dtype) {
  return dtype == Dtype::Float64 ? Dtype::Float64 : Dtype::Float32;
}

Dtype parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < kComputed.size(); ++i) {
    if (kComputed[i] == text) return static_cast<Dtype>(i);
  }
  throw_unknown_name("dtype", "dtype", text, kComputed);
}

}  // namespace siliconprof
