#include "siliconprof/kernels/cpu/rate_sampling.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof::cpu {
namespace {

constexpr int kFewestSamples = 3;
constexpr int kTrials = 5;
constexpr double kLong_s = 0.1;  // no interruption makes a short run this long
// Bounds both loops under a clock that never moves.
constexpr std::int64_t kMostRepeats = std::int64_t{1} << 40;
constexpr int kMostSamples = 100000;

double time_s(const RepeatedRun& run, std::int64_t repeats, Clock& clock) {
  const double start_s = clock.now_s();
  run(repeats);
  return clock.now_s() - start_s;
}

// The quickest of several counts: others may have been interrupted.
double quickest_s(const RepeatedRun& run, std::int64_t repeats, Clock& clock) {
  double quickest = time_s(run, repeats, clock);
  for (int i = 1; i < kTrials && quickest >= kShortestSample_s && quickest < kLong_s; ++i) {
    quickest = std::min(quickest, time_s(run, repeats, clock));
  }
  return quickest;
}

}  // namespace

std::int64_t enough_repeats(const RepeatedRun& run, Clock& clock) {
  std::int64_t repeats = 1;
  while (repeats < kMostRepeats && quickest_s(run, repeats, clock) < kShortestSample_s) {
    repeats *= 2;
  }
  return repeats;
}

std::vector<double> sample_rates(const RepeatedRun& run, std::int64_t repeats,
                                 double work_per_repeat, double seconds, Clock& clock,
                                 const Poll& poll) {
  if (!(seconds > 0) || !std::isfinite(seconds)) {
    throw ArgumentError("[probe] seconds is " + number_text(seconds) +
                        "; needed: a positive number");
  }
  std::vector<double> rates;
  const double end_s = clock.now_s() + seconds;
  for (int i = 0; i < kMostSamples; ++i) {
    if (i >= kFewestSamples && clock.now_s() >= end_s) break;
    const double elapsed_s = time_s(run, repeats, clock);
    if (elapsed_s > 0) rates.push_back(work_per_repeat * double(repeats) / elapsed_s);
    if (poll) poll();
  }
  return rates;
}

}  // namespace siliconprof::cpu
