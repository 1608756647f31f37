#include "siliconprof/core/shape.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Shape, CountsElements) {
  EXPECT_EQ((Shape{8, 3, 2}).elements(), 48);
  EXPECT_EQ((Shape{4, 0}).elements(), 0);
  EXPECT_EQ(Shape{}.elements(), 1);
}

TEST(Shape, PrintsLikeATuple) { EXPECT_EQ(to_string(Shape{8, 3}), "(8, 3)"); }

TEST(Shape, ComparesRankAndSizes) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
  EXPECT_NE((Shape{2, 3}), (Shape{3, 2}));
}

TEST(Shape, RefusesNegativeSizesAndTooManyAxes) {
  EXPECT_THROW((Shape{2, -1}), ShapeError);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1}), ShapeError);
}

TEST(Shape, ReportsOverflow) {
  EXPECT_THROW(static_cast<void>((Shape{1L << 40, 1L << 40}).elements()), ShapeError);
}

}  // namespace
}  // namespace siliconprof
