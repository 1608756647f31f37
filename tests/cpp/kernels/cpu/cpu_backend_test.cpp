#include "siliconprof/kernels/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/profile/loop.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

// Every look at it costs a tenth of a second.
class TickingClock final : public Clock {
 public:
  double now_s() override { return now_s_ += 0.1; }

 private:
  double now_s_ = 0.0;
};

Trace product() {
  return single_op("matmul", {{"m", 4}, {"k", 5}, {"n", 6}}, Dtype::Float32, {}, true);
}

TEST(CpuBackend, MeasuresWithTheClockItIsGiven) {
  TickingClock clock;
  CpuBackend backend(find_engine("reference"), 1, clock, {});
  const Profile found = profile(product(), backend, {}, Sampling::fixed(3, 1));
  EXPECT_EQ(found.origin, Origin::Measured);
  EXPECT_EQ(found.framework, "reference");
  EXPECT_EQ(found.spans.back().samples_s.size(), 3U);
  EXPECT_NEAR(found.spans.back().wall_s, 0.1, 1e-12);  // two looks, one tick apart
}

TEST(CpuBackend, SaysEngineThreadsAndHowProductsAreMade) {
  TickingClock clock;
  CpuBackend backend(find_engine("eigen"), 2, clock, {});
  backend.prepare(single_op("copy", {{"n", 4}}, Dtype::BFloat16, {}, false));
  const auto facts = backend.environment();
  EXPECT_EQ(facts.at("engine"), "eigen");
  EXPECT_EQ(facts.at("threads"), "2");
  EXPECT_FALSE(facts.at("product_path.bfloat16").empty());
  EXPECT_FALSE(facts.contains("product_path.float32"));
}

TEST(CpuBackend, PollsBetweenCallsWhenAPeriodHasPassed) {
  TickingClock clock;
  int polls = 0;
  CpuBackend backend(find_engine("reference"), 1, clock, [&] { ++polls; });
  profile(product(), backend, {}, Sampling::fixed(2, 0));
  EXPECT_GE(polls, 4) << "the clock jumps past the period at every call";
}

TEST(CpuBackend, StopsAtOnceWhenThePollThrows) {
  TickingClock clock;
  CpuBackend backend(find_engine("reference"), 1, clock, [] { throw Interrupted{}; });
  EXPECT_THROW(profile(product(), backend, {}, Sampling::paper()), Interrupted);
}

TEST(Threads, AnEngineWithoutThreadsRunsOnOne) {
  TickingClock clock;
  const CpuBackend backend(find_engine("reference"), 2, clock, {});
  EXPECT_EQ(backend.environment().at("threads"), "1");
}

TEST(Threads, ZeroTakesAllAndNonsenseIsRefused) {
  EXPECT_EQ(checked_threads(0), default_threads());
  EXPECT_GE(default_threads(), 1);
  EXPECT_EQ(checked_threads(3), 3);
  EXPECT_THROW(checked_threads(-1), ArgumentError);
  EXPECT_THROW(checked_threads(100000), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
