#include "siliconprof/ops/cost.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Cost, AddsByKind) {
  Cost sum{1, 2, 3, 4};
  sum += {10, 20, 30, 40};
  EXPECT_EQ(sum, (Cost{11, 22, 33, 44}));
  EXPECT_EQ(sum.flops(), 33);
  EXPECT_EQ(sum.bytes(), 77);
}

TEST(Cost, RefusesASumThatIsNoNumber) {
  const std::int64_t half = std::int64_t{1} << 62;
  Cost cost{.matrix_flops = half};
  EXPECT_THROW(cost += Cost{.matrix_flops = half}, ShapeError);
  EXPECT_THROW(cost += Cost{.vector_flops = half}, ShapeError) << "flops() is no number";
  EXPECT_EQ(cost.matrix_flops, half);
}

}  // namespace
}  // namespace siliconprof
