#include "siliconprof/core/dtype.h"

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, kDtypeCount> kNames{"float64", "float32", "tf32", "float16",
                                                           "bfloat16"};
constexpr std::array<std::int64_t, kDtypeCount> kSizes{8, 4, 4, 2, 2};

}  // namespace

std::int64_t size_bytes(Dtype dtype) { return kSizes[static_cast<std::size_t>(dtype)]; }

std::string_view name(Dtype dtype) { return kNames[static_cast<std::size_t>(dtype)]; }

std::span<const std::string_view> dtype_names() { return kNames; }

Dtype parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Dtype>(i);
  }
  throw_unknown_name("dtype", "dtype", text, kNames);
}

}  // namespace siliconprof
