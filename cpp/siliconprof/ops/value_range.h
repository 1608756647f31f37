#pragma once

// Which numbers an attribute of an op may be.

#include <cmath>
#include <string_view>

namespace siliconprof {

/// Of finite numbers.
struct ValueRange {
  bool (*holds)(double);
  std::string_view needed;  // for messages
};

inline constexpr ValueRange kAnyNumber{[](double) { return true; }, "a finite number"};
inline constexpr ValueRange kNotZero{[](double x) { return x != 0; }, "other than 0"};
inline constexpr ValueRange kNotNegative{[](double x) { return x >= 0; }, "at least 0"};
inline constexpr ValueRange kPositive{[](double x) { return x > 0; }, "above 0"};
inline constexpr ValueRange kAtLeastOne{[](double x) { return x >= 1; }, "at least 1"};
inline constexpr ValueRange kCount{[](double x) { return x >= 1 && x == std::floor(x); },
                                   "a whole number from 1 on"};
inline constexpr ValueRange kBelowOne{[](double x) { return x >= 0 && x < 1; },
                                      "at least 0 and below 1"};
inline constexpr ValueRange kProbability{[](double x) { return x >= 0 && x <= 1; }, "from 0 to 1"};

}  // namespace siliconprof
