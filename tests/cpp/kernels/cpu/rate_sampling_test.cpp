#include "siliconprof/kernels/cpu/rate_sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

TEST(RateSampling, RatesAreWorkOverTime) {
  FakeClock clock;
  const auto run = [&](std::int64_t repeats) { clock.advance(0.001 * double(repeats)); };
  const auto rates = sample_rates(run, 4, 50.0, 0.041, clock);
  EXPECT_EQ(rates.size(), 11U);  // 4 ms each
  for (const double rate : rates) EXPECT_NEAR(rate, 50e3, 1.0);
}

TEST(RateSampling, ASlowLoopStillGivesThreeSamples) {
  FakeClock clock;
  const auto run = [&](std::int64_t) { clock.advance(2.0); };
  EXPECT_EQ(sample_rates(run, 1, 10.0, 0.1, clock), (std::vector<double>{5.0, 5.0, 5.0}));
}

TEST(RateSampling, RepeatsDoubleUntilASampleIsLongEnough) {
  FakeClock clock;
  const auto run = [&](std::int64_t repeats) { clock.advance(0.0001 * double(repeats)); };
  EXPECT_EQ(enough_repeats(run, clock), 64);  // 6.4 ms, where 32 would make 3.2
}

TEST(RateSampling, InterruptionsDoNotEndTheSearchForRepeats) {
  FakeClock clock;
  int runs = 0;
  const auto run = [&](std::int64_t repeats) {
    const bool interrupted = ++runs % 2 == 1;
    clock.advance(interrupted ? 0.05 : 0.0001 * double(repeats));
  };
  EXPECT_EQ(enough_repeats(run, clock), 64);
}

TEST(RateSampling, AClockThatStandsStillGivesNoSamples) {
  FakeClock clock;
  EXPECT_TRUE(sample_rates([](std::int64_t) {}, 1, 1.0, 1.0, clock).empty());
}

TEST(RateSampling, SecondsMustBePositive) {
  FakeClock clock;
  for (const double seconds : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(sample_rates([](std::int64_t) {}, 1, 1.0, seconds, clock), ArgumentError);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
