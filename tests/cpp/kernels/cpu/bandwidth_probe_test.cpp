#include "siliconprof/kernels/cpu/bandwidth_probe.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "ticking_clock.h"

namespace siliconprof::cpu {
namespace {

TEST(BandwidthProbe, RatesCountEachArrayOnceAsStreamDoes) {
  constexpr std::int64_t kBytes = 80008;
  constexpr double kTick_s = 0.005;
  const std::array<double, 7> arrays{1, 1, 2, 2, 3, 3, 2};
  for (const int threads : {1, 2}) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      TickingClock clock(kTick_s);
      const auto pattern = parse_bandwidth_pattern(bandwidth_pattern_names()[i]);
      const auto rates = measure_bandwidth(pattern, threads, kBytes, 0.05, clock);
      ASSERT_GE(rates.size(), 3U);
      const double expected = arrays[i] * double(kBytes) / kTick_s;
      for (const double rate : rates) EXPECT_NEAR(rate, expected, 1e-9 * expected);
    }
  }
}

TEST(BandwidthProbe, AnUnknownPatternGetsTheNearest) {
  try {
    parse_bandwidth_pattern("triads");
    FAIL() << "it was found";
  } catch (const UnknownNameError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'triad'?"), std::string::npos);
  }
}

TEST(BandwidthProbe, SizesAndThreadsMustBePositive) {
  FakeClock clock;
  EXPECT_THROW(measure_bandwidth(BandwidthPattern::Copy, 0, 800, 0.1, clock), ArgumentError);
  EXPECT_THROW(measure_bandwidth(BandwidthPattern::Copy, 1, 7, 0.1, clock), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
