#include "siliconprof/profile/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kNames{"median", "mean", "unstated"};

constexpr std::string_view kFixed = "fixed";

constexpr double kMostBudgets = 4.0;
// Samples of a call that is short beside the least time: neighbours are alike, and a machine
// drifts.
constexpr double kSpreadSamples = 32.0;

// Samples that an order-statistic interval needs: 6 at 95 %. The median lies outside of n samples
// with a chance of 2 / 2^n.
int samples_of_an_interval(double confidence) {
  int n = 2;
  while (1.0 - std::ldexp(2.0, -n) < confidence) ++n;
  return n;
}

void need(bool fine, const char* argument, double found, const std::string& needed) {
  if (fine) return;
  throw ArgumentError("[sampling] " + std::string(argument) + " is " + number_text(found) +
                      "; needed: " + needed);
}

std::string percent(double part) {
  return number_text(part * 100.0, std::chars_format::fixed, 2) + " %";
}

}  // namespace

std::string_view name(Statistic statistic) { return kNames[static_cast<std::size_t>(statistic)]; }

Statistic parse_statistic(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Statistic>(i);
  }
  throw_unknown_name("sampling", "statistic", text, kNames);
}

Sampling Sampling::paper() {
  return {.name = "paper",
          .statistic = Statistic::Mean,
          .warmups = 10,
          .min_samples = 100,
          .max_samples = 100};
}

Sampling Sampling::adaptive(double relative_half_width, double budget_s, int warmups,
                            int min_samples, int max_samples, double confidence,
                            double min_time_s) {
  return {.name = "adaptive",
          .statistic = Statistic::Median,
          .warmups = warmups,
          .min_samples = min_samples,
          .max_samples = max_samples,
          .relative_half_width = relative_half_width,
          .budget_s = budget_s,
          .confidence = confidence,
          .min_time_s = min_time_s};
}

Sampling Sampling::fixed(int samples, int warmups) {
  return {.name = std::string(kFixed),
          .warmups = warmups,
          .min_samples = samples,
          .max_samples = samples};
}

void check(const Sampling& rule) {
  need(rule.warmups >= 0, "warmups", rule.warmups, "0 or more");
  if (rule.statistic == Statistic::Unstated) {
    throw ArgumentError("[sampling] statistic is unstated; needed: median or mean");
  }
  const char* fewest = rule.name == kFixed ? "samples" : "min_samples";
  need(rule.min_samples >= 1, fewest, rule.min_samples, "at least 1");
  need(rule.max_samples >= rule.min_samples, "max_samples", rule.max_samples,
       "at least min_samples, " + std::to_string(rule.min_samples));
  need(std::isfinite(rule.relative_half_width) && rule.relative_half_width >= 0.0,
       "relative_half_width", rule.relative_half_width, "0 or more");
  need(std::isfinite(rule.budget_s) && rule.budget_s >= 0.0, "budget_s", rule.budget_s,
       "0 (no limit) or more");
  need(std::isfinite(rule.min_time_s) && rule.min_time_s >= 0.0, "min_time_s", rule.min_time_s,
       "0 or more");
  need(rule.confidence > 0.0 && rule.confidence < 1.0, "confidence", rule.confidence,
       "between 0 and 1, both excluded");
}

Sampler::Sampler(Sampling rule)
    : rule_(std::move(rule)), next_look_(std::size_t(std::max(rule_.min_samples, 1))) {
  check(rule_);
}

Sampler::Next Sampler::next(double elapsed_s) {
  const std::size_t n = samples_s_.size();
  const bool spent = rule_.budget_s > 0.0 && elapsed_s >= rule_.budget_s;
  const bool overspent = spent && elapsed_s >= kMostBudgets * rule_.budget_s;
  if (!spent && warmups_s_.size() < std::size_t(rule_.warmups)) return Next::Warmup;
  const auto owed =
      std::size_t(std::min(rule_.min_samples, samples_of_an_interval(rule_.confidence)));
  if (n == 0 || (n < owed && !overspent)) return sample(elapsed_s);
  if (spent) {
    stop_reason_ = "time: " + std::to_string(n) + " samples when the budget was spent";
  } else if (n >= std::size_t(rule_.max_samples)) {
    stop_reason_ = "count: " + std::to_string(n) + " samples as the rule asks";
  } else if (elapsed_s < next_sample_s_) {
    return Next::Between;
  } else if (elapsed_s - first_sample_s_ >= span_s() && narrow_enough()) {
    stop_reason_ = "narrow: interval within " + percent(rule_.relative_half_width) + " after " +
                   std::to_string(n) + " samples";
  } else {
    return sample(elapsed_s);
  }
  return Next::Stop;
}

double Sampler::span_s() const {
  return rule_.budget_s > 0.0 ? std::min(rule_.min_time_s, rule_.budget_s) : rule_.min_time_s;
}

Sampler::Next Sampler::sample(double elapsed_s) {
  if (elapsed_s < next_sample_s_) return Next::Between;
  if (samples_s_.empty()) first_sample_s_ = elapsed_s;
  next_sample_s_ = elapsed_s + span_s() / kSpreadSamples;
  return Next::Sample;
}

void Sampler::add(double seconds, Next kind) {
  if (kind == Next::Sample) samples_s_.push_back(seconds);
  if (kind == Next::Warmup) warmups_s_.push_back(seconds);
}

// Looks come at growing counts (a third more each time): a look at every sample would find a narrow
// interval by luck far more often than its confidence says.
bool Sampler::narrow_enough() {
  if (rule_.relative_half_width <= 0.0 || samples_s_.size() < next_look_) return false;
  next_look_ = samples_s_.size() + samples_s_.size() / 3 + 1;
  const auto found = interval(samples_s_);
  if (!found) return false;
  return 0.5 * (found->hi - found->lo) <= rule_.relative_half_width * centre(samples_s_);
}

double Sampler::centre(std::span<const double> samples) const {
  return rule_.statistic == Statistic::Median ? median(samples) : mean(samples);
}

std::optional<Interval> Sampler::interval(std::span<const double> samples) const {
  return rule_.statistic == Statistic::Median ? median_interval_of_series(samples, rule_.confidence)
                                              : mean_interval(samples, rule_.confidence);
}

}  // namespace siliconprof
