#pragma once

// Number formats. tf32 is float32 in memory, multiplied with a 10-bit mantissa: a property of the
// arithmetic, not of the storage.

#include <cstdint>
#include <span>
#include <string_view>

namespace siliconprof {

enum class Dtype : std::uint8_t { Float64, Float32, Tf32, Float16, BFloat16, Int32 };
/// Formats that ops compute in: all but int32, which holds indices.
inline constexpr int kDtypeCount = 5;

/// Bytes of one element in memory.
std::int64_t size_bytes(Dtype dtype);

/// "float64", "float32", "tf32", "float16", "bfloat16", "int32".
std::string_view name(Dtype dtype);
/// The formats that ops compute in.
std::span<const std::string_view> dtype_names();

/// What sums and statistics of `dtype` are kept in: float64 of float64, else float32.
Dtype statistics_dtype(Dtype dtype);

/// A format that ops compute in. Throws UnknownNameError.
Dtype parse_dtype(std::string_view text);

}  // namespace siliconprof
