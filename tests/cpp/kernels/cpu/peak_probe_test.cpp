#include "siliconprof/kernels/cpu/peak_probe.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/fma_chains.h"
#include "ticking_clock.h"

namespace siliconprof::cpu {
namespace {

TEST(PeakProbe, RatesCountTheStepsOfAllThreads) {
  for (const int threads : {1, 2}) {
    TickingClock clock(0.005);
    const auto rates = measure_fma_peak(Dtype::Float32, threads, 0.05, clock);
    ASSERT_GE(rates.size(), 3U);
    const double flops = find_fma_chains(Dtype::Float32).flops_per_step * 1024 * threads;
    for (const double rate : rates) EXPECT_NEAR(rate, flops / 0.005, flops);
  }
}

TEST(PeakProbe, ThreadsMustBePositive) {
  FakeClock clock;
  EXPECT_THROW(measure_fma_peak(Dtype::Float32, 0, 0.1, clock), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
