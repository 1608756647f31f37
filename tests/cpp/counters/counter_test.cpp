#include "siliconprof/counters/counter.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(CounterKind, HasNames) {
  EXPECT_EQ(name(CounterKind::Delta), "delta");
  EXPECT_EQ(name(CounterKind::Level), "level");
}

}  // namespace
}  // namespace siliconprof
