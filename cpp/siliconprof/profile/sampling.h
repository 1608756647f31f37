#pragma once

// How often to measure, and when to stop.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/core/quantile.h"

namespace siliconprof {

/// Unstated: of numbers that others published without saying.
enum class Statistic : std::uint8_t { Median, Mean, Unstated };
/// "median", "mean", "unstated".
std::string_view name(Statistic statistic);
/// Throws UnknownNameError.
Statistic parse_statistic(std::string_view text);

/// A sampling rule: plain data, so that a profile can say which one made it.
struct Sampling {
  std::string name;
  Statistic statistic = Statistic::Median;
  int warmups = 0;
  int min_samples = 1;
  int max_samples = 1;
  double relative_half_width = 0.0;  // stop when the interval's half-width is below this part
  double budget_s = 0.0;             // stop when this much time is gone; 0 = no limit
  double confidence = 0.95;
  double min_time_s = 0.0;  // samples are spread over so much time at least, if the budget has it

  /// The rule of arXiv 2501.14925 section 4.4: 10 warm-ups, 100 launches, the mean.
  static Sampling paper();
  /// Ours: median and its distribution-free interval; stops when that is narrow or time is out.
  static Sampling adaptive(double relative_half_width, double budget_s, int warmups,
                           int min_samples, int max_samples, double confidence, double min_time_s);
  static Sampling adaptive() { return adaptive(0.02, 2.0, 2, 9, 1000, 0.95, 0.2); }
  /// Exactly so many samples; the median.
  static Sampling fixed(int samples, int warmups);

  bool operator==(const Sampling&) const = default;
};

/// Throws ArgumentError when a field makes no sense (negative counts, confidence outside (0, 1)…).
void check(const Sampling& rule);

/// The state of one measurement under a rule. Feed it every time; ask what is next.
class Sampler {
 public:
  /// Between: a run that holds the machine at work until the next sample is due.
  enum class Next { Warmup, Between, Sample, Stop };

  explicit Sampler(Sampling rule);

  /// `elapsed_s`: time since the measurement began, against the budget. A spent budget still owes
  /// the samples that an interval needs (min_samples, at most 6 at 95 %), up to 4 budgets.
  Next next(double elapsed_s);
  /// What such a run took; nothing is kept of one between samples.
  void add(double seconds, Next kind);

  const std::vector<double>& warmups_s() const { return warmups_s_; }
  const std::vector<double>& samples_s() const { return samples_s_; }
  /// Why it stopped; empty before.
  const std::string& stop_reason() const { return stop_reason_; }
  /// Middle and interval of `samples`, in the order in which they were taken, by the rule's
  /// statistic.
  double centre(std::span<const double> samples) const;
  std::optional<Interval> interval(std::span<const double> samples) const;

 private:
  double span_s() const;
  Next sample(double elapsed_s);
  bool narrow_enough();

  Sampling rule_;
  std::vector<double> warmups_s_;
  std::vector<double> samples_s_;
  std::string stop_reason_;
  std::size_t next_look_;
  double first_sample_s_ = 0.0;
  double next_sample_s_ = 0.0;
};

}  // namespace siliconprof
