#include "siliconprof/counters/clocks.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(ClockSource, ReadsAGrowingTime) {
  ClockSource source;
  double first = 0.0;
  double second = 0.0;
  ASSERT_TRUE(source.read(&first));
  ASSERT_TRUE(source.read(&second));
  EXPECT_GT(first, 0.0);
  EXPECT_GE(second, first);
}

}  // namespace
}  // namespace siliconprof
