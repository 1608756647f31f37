#include "siliconprof/ops/cost.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Cost, AddsByKind) {
  Cost sum{1, 2, 3, 4};
  sum += {10, 20, 30, 40};
  EXPECT_EQ(sum, (Cost{11, 22, 33, 44}));
  EXPECT_EQ(sum.flops(), 33);
  EXPECT_EQ(sum.bytes(), 77);
}

}  // namespace
}  // namespace siliconprof
