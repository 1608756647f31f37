#pragma once

// Robust statistics of a sample. Times are skewed and have outliers, so location is the median,
// spread the quartiles, and the interval comes from order statistics: no distribution is assumed.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace siliconprof {

struct Interval {
  double lo;
  double hi;
  bool operator==(const Interval&) const = default;
};

/// The interval with the end moved there where `value` lies outside, or where the ends are crossed.
inline Interval reaching(const Interval& interval, double value) {
  return {std::min(interval.lo, value), std::max(interval.hi, value)};
}

/// The q-quantile by linear interpolation of the order statistics (type 7 of Hyndman & Fan 1996).
/// Throws ArgumentError for no samples, a NaN, or q outside [0, 1].
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);
double mean(std::span<const double> samples);
/// Median of |x - median(x)|, not scaled to a normal's sigma.
double median_absolute_deviation(std::span<const double> samples);

/// Interval for the median from order statistics (sign test): covers with at least `confidence`
/// whatever the distribution. None when n is too small for any interval (n < 6 at 95 %).
std::optional<Interval> median_interval(std::span<const double> samples, double confidence);

/// The same of samples in the order in which they were taken: where neighbours lie on one side of
/// the median more often than by chance, they tell less than as many independent ones, and it is as
/// much wider, up to the range of all.
std::optional<Interval> median_interval_of_series(std::span<const double> samples,
                                                  double confidence);

/// Interval for the mean by the normal approximation, from the least sample on: all n lie above
/// their mean with a chance of 2^-n at most where the mean is not below the median, as times' is.
/// For the rule that reports means.
std::optional<Interval> mean_interval(std::span<const double> samples, double confidence);

}  // namespace siliconprof
