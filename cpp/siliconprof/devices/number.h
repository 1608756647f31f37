#pragma once

// A number that says where it comes from.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace siliconprof {

enum class NumberKind : std::uint8_t { Spec, Measured, Fitted, Assumed };
/// "spec", "measured", "fitted", "assumed".
std::string_view name(NumberKind kind);
/// Throws UnknownNameError.
NumberKind parse_number_kind(std::string_view text);

struct Number {
  double value = 0.0;
  NumberKind kind = NumberKind::Assumed;
  std::string source;
  double relative_error = 0.0;  // half-width of a 90 % interval, as a part of the value

  bool operator==(const Number&) const = default;
};

/// Numbers by dotted key, "memory.bandwidth_bytes_per_s". The last word carries the unit.
using Numbers = std::map<std::string, Number, std::less<>>;

/// The number at the first of `keys` that is there. Throws DeviceError naming `owner` and the keys.
const Number& find_number(const Numbers& numbers, std::string_view owner,
                          std::initializer_list<std::string> keys);

/// Checks each number: finite, positive, 0 <= relative_error < 1. Throws DeviceError.
void check(const Numbers& numbers, std::string_view owner);

}  // namespace siliconprof
