#include "siliconprof/core/clock.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock;
  EXPECT_EQ(clock.now_s(), 0.0);
  clock.advance(1.5);
  EXPECT_EQ(clock.now_s(), 1.5);
  EXPECT_EQ(clock.now_s(), 1.5);
}

TEST(SteadyClock, NeverGoesBack) {
  SteadyClock clock;
  double last_s = clock.now_s();
  for (int i = 0; i < 1000; ++i) {
    const double now_s = clock.now_s();
    ASSERT_GE(now_s, last_s);
    last_s = now_s;
  }
}

}  // namespace
}  // namespace siliconprof
