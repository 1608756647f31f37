#include "siliconprof/profile/disturbances.h"

#include <cmath>
#include <optional>

#include "siliconprof/core/number_text.h"
#include "siliconprof/core/quantile.h"

namespace siliconprof {
namespace {

constexpr double kChange = 0.05;
constexpr double kConfidence = 0.95;

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
    if (reading.name != "involuntary_switches" || reading.value.value_or(0.0) < 1.0) continue;
    notes.push_back(number_text(*reading.value, std::chars_format::fixed, 1) +
                    " involuntary context switches a step: other work shared the processors");
  }
  if (auto note = change(samples_s)) notes.push_back(std::move(*note));
  return notes;
}

}  // namespace siliconprof
