#pragma once

// Number formats. tf32 is float32 in memory, multiplied with a 10-bit mantissa: a property of the
// arithmetic, not of the storage.

#include <cstdint>
#include <span>
#include <string_view>

namespace siliconprof {

enum class Dtype : std::uint8_t { Float64, Float32, Tf32, Float16, BFloat16 };
inline constexpr int kDtypeCount = 5;

/// Bytes of one element in memory.
std::int64_t size_bytes(Dtype dtype);

/// "float64", "float32", "tf32", "float16", "bfloat16".
std::string_view name(Dtype dtype);
std::span<const std::string_view> dtype_names();

/// Throws UnknownNameError.
Dtype parse_dtype(std::string_view text);

}  // namespace siliconprof
