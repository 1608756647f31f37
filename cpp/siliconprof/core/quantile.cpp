#include "siliconprof/core/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw ArgumentError("[quantile] no samples; needed: at least one");
  std::vector<double> ordered(samples.begin(), samples.end());
  for (const double x : ordered) {
    if (std::isnan(x)) throw ArgumentError("[quantile] a sample is NaN; needed: numbers");
  }
  std::sort(ordered.begin(), ordered.end());
  return ordered;
}

double quantile_of_sorted(const std::vector<double>& ordered, double q) {
  const double position = q * double(ordered.size() - 1);
  const auto below = std::size_t(position);
  const std::size_t above = std::min(below + 1, ordered.size() - 1);
  const double past = position - double(below);
  // Nothing of an infinite neighbour, nor the difference of infinities, is NaN.
  if (past == 0.0 || ordered[below] == ordered[above]) return ordered[below];
  return ordered[below] + past * (ordered[above] - ordered[below]);
}

void check_confidence(double confidence) {
  if (!(confidence > 0.0 && confidence < 1.0)) {
    throw ArgumentError("[interval] confidence is " + number_text(confidence) +
                        "; needed: between 0 and 1, both excluded");
  }
}

// The z with P(|N(0,1)| <= z) = confidence, by bisection on erf: exact enough and short.
double normal_half_width(double confidence) {
  double lo = 0.0;
  double hi = 10.0;
  for (int step = 0; step < 80; ++step) {
    const double mid = 0.5 * (lo + hi);
    (std::erf(mid / std::sqrt(2.0)) < confidence ? lo : hi) = mid;
  }
  return 0.5 * (lo + hi);
}

// The largest r for which [x_(r), x_(n-1-r)], 0-based, covers the median with `confidence`: it does
// with 1 - 2 P(Binomial(n, 1/2) <= r). None when n is too small. Probabilities by logarithm, so
// that n in the thousands works.
std::optional<std::size_t> rank_of_interval(std::size_t n, double confidence) {
  const double log_half_n = double(n) * std::log(0.5);
  double tail = 0.0;
  std::optional<std::size_t> best;
  for (std::size_t r = 0; 2 * r + 1 < n; ++r) {
    tail += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(r) + 1) -
                     std::lgamma(double(n - r) + 1) + log_half_n);
    if (1.0 - 2.0 * tail < confidence) break;
    best = r;
  }
  return best;
}

// By what the number of samples below the centre spreads more than that of independent ones, when
// their sides of it follow each other as an autoregression of the first order.
double spread_of_sides(std::span<const double> samples, double centre) {
  double alike = 0.0;
  double sides = 0.0;
  double before = 0.0;
  for (const double x : samples) {
    const double side = double(x > centre) - double(x < centre);
    alike += side * before;
    sides += side * side;
    before = side;
  }
  if (sides == 0.0) return 1.0;
  // Independent samples come to -1/n in the mean; what alternates makes no interval narrower.
  const double correlation = std::clamp(alike / sides + 1.0 / double(samples.size()), 0.0, 0.95);
  return std::sqrt((1.0 + correlation) / (1.0 - correlation));
}

}  // namespace

double quantile(std::span<const double> samples, double q) {
  if (!(q >= 0.0 && q <= 1.0)) {
    throw ArgumentError("[quantile] q is " + number_text(q) + "; needed: 0 to 1");
  }
  return quantile_of_sorted(sorted(samples), q);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double mean(std::span<const double> samples) {
  if (samples.empty()) throw ArgumentError("[mean] no samples; needed: at least one");
  return std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size());
}

double median_absolute_deviation(std::span<const double> samples) {
  const double centre = median(samples);
  std::vector<double> deviations(samples.begin(), samples.end());
  for (double& x : deviations) x = std::abs(x - centre);
  return median(deviations);
}

std::optional<Interval> median_interval(std::span<const double> samples, double confidence) {
  check_confidence(confidence);
  if (samples.empty()) return std::nullopt;
  const std::vector<double> ordered = sorted(samples);
  const auto r = rank_of_interval(ordered.size(), confidence);
  if (!r) return std::nullopt;
  return Interval{ordered[*r], ordered[ordered.size() - 1 - *r]};
}

std::optional<Interval> median_interval_of_series(std::span<const double> samples,
                                                  double confidence) {
  check_confidence(confidence);
  if (samples.empty()) return std::nullopt;
  const std::vector<double> ordered = sorted(samples);
  const auto independent = rank_of_interval(ordered.size(), confidence);
  if (!independent) return std::nullopt;
  const double middle = 0.5 * double(ordered.size() - 1);
  const double reach =
      (middle - double(*independent)) * spread_of_sides(samples, quantile_of_sorted(ordered, 0.5));
  constexpr double kRounding = 1e-9;
  const auto r = std::size_t(std::max(0.0, std::floor(middle - reach + kRounding)));
  return Interval{ordered[r], ordered[ordered.size() - 1 - r]};
}

std::optional<Interval> mean_interval(std::span<const double> samples, double confidence) {
  check_confidence(confidence);
  if (samples.size() < 2) return std::nullopt;
  const double centre = mean(samples);
  double squares = 0.0;
  for (const double x : samples) squares += (x - centre) * (x - centre);
  const double n = double(samples.size());
  const double half = normal_half_width(confidence) * std::sqrt(squares / (n - 1.0) / n);
  // One sample far above the rest takes the lower end below all of them, times below zero. The
  // mean of equal samples may be rounded to below them.
  const double least = std::min(std::ranges::min(samples), centre);
  return Interval{std::max(centre - half, least), centre + half};
}

}  // namespace siliconprof
