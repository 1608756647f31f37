#pragma once

// The roofline: arithmetic and memory traffic proceed together, the slower one decides.
// [williams2009]

namespace siliconprof {

/// A rate and how far it may be off.
struct Rate {
  double per_s = 0.0;
  double relative_error = 0.0;
};

/// Seconds for `amount` units at the rate; 0 for nothing, whatever the rate.
double time_at(double amount, const Rate& rate);

/// The slower of arithmetic and traffic. All in seconds.
double roofline_s(double arithmetic_s, double traffic_s);

}  // namespace siliconprof
