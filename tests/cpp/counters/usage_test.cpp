#include "siliconprof/counters/usage.h"

#include <gtest/gtest.h>

#include <array>

namespace siliconprof {
namespace {

TEST(UsageSource, ReadsOneValuePerRow) {
  UsageSource source;
  std::array<double, 6> values{};
  ASSERT_EQ(source.counters().size(), values.size());
  ASSERT_TRUE(source.read(values.data()));
  EXPECT_GT(values[1], 0.0) << "a process that runs has faulted";
  EXPECT_GT(values[5], 1e6) << "and holds more than a megabyte";
}

}  // namespace
}  // namespace siliconprof
