#include "siliconprof/profile/disturbances.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "siliconprof/core/number_text.h"
#include "siliconprof/core/quantile.h"

namespace siliconprof {
namespace {

constexpr double kChange = 0.05;
constexpr double kConfidence = 0.95;
// A machine at rest has some tens a second of its own, which take microseconds each: there the
// median step takes as long as the quickest.
constexpr double kLeastSwitches = 3.0;
constexpr double kHeldUp = 1.5;

/// Of so many involuntary switches a step, in words.
std::optional<std::string> switched(double per_step, std::span<const double> samples_s) {
  constexpr const char* kOthers = "other work shared the processors";
  const auto said = [](double count, const char* unit) {
    return number_text(count, std::chars_format::fixed, 1) + " involuntary context switches a " +
           unit + ": " + kOthers;
  };
  if (per_step >= 1.0) return said(per_step, "step");
  const double all = per_step * double(samples_s.size());
  if (all < kLeastSwitches) return std::nullopt;
  const double quickest_s = std::ranges::min(samples_s);
  if (quickest_s <= 0.0 || median(samples_s) < kHeldUp * quickest_s) return std::nullopt;
  const double all_s = std::accumulate(samples_s.begin(), samples_s.end(), 0.0);
  return said(all / all_s, "second");
}

std::optional<std::string> change(std::span<const double> samples_s) {
  const std::span<const double> first = samples_s.first(samples_s.size() / 2);
  const std::span<const double> last = samples_s.last(first.size());
  const std::optional<Interval> before = median_interval(first, kConfidence);
  const std::optional<Interval> after = median_interval(last, kConfidence);
  if (!before || !after || before->lo <= 0.0) return std::nullopt;
  const double longer = median(last) / median(first) - 1.0;
  const std::string percent = std::to_string(std::lround(100.0 * std::abs(longer))) + " %";
  if (longer > kChange && after->lo > before->hi) {
    return "the later half of the samples took " + percent +
           " longer than the first: a clock that heat or power holds back, or other work that came "
           "in between";
  }
  if (longer < -kChange && after->hi < before->lo) {
    return "the later half of the samples took " + percent +
           " less than the first: it went on warming up, or other work ended";
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> disturbance_notes(std::span<const CounterReading> per_step,
                                           std::span<const double> samples_s) {
  std::vector<std::string> notes;
  for (const CounterReading& reading : per_step) {
    if (reading.name != "involuntary_switches") continue;
    if (auto note = switched(reading.value.value_or(0.0), samples_s)) {
      notes.push_back(std::move(*note));
    }
  }
  if (auto note = change(samples_s)) notes.push_back(std::move(*note));
  return notes;
}

}  // namespace siliconprof
