#pragma once

// The roofline: arithmetic and memory traffic proceed together, the slower one decides.
// [williams2009]

#include <algorithm>

#include "siliconprof/core/quantile.h"

namespace siliconprof {

/// A rate and how far it may be off.
struct Rate {
  double per_s = 0.0;
  double relative_error = 0.0;
};

/// Seconds for `amount` units at the rate; 0 for nothing, whatever the rate.
inline double time_at(double amount, const Rate& rate) {
  return amount > 0.0 ? amount / rate.per_s : 0.0;
}

/// What a time may be, 90 %, whose rate is off by a factor of up to 1 + relative_error either way:
/// so the fits read errors, max(p / m, m / p) - 1.
inline Interval bounds(double seconds, double relative_error) {
  return {seconds / (1.0 + relative_error), seconds * (1.0 + relative_error)};
}

/// The slower of arithmetic and traffic. All in seconds.
inline double roofline_s(double arithmetic_s, double traffic_s) {
  return std::max(arithmetic_s, traffic_s);
}

}  // namespace siliconprof
