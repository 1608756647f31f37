#include "siliconprof/devices/product_time.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

/// 108 cores, 1 FLOP a second each, no losses, endless bandwidth.
ProductUnit unit() {
  ProductUnit u;
  u.peak_flops_per_s = 108.0;
  u.bytes_per_s = 1e30;
  u.cores = 108;
  return u;
}

ProductShape square(std::int64_t n) { return {1, n, n, n, n, n, n}; }

TEST(ProductTime, WholeTilesInWholeWaves) {
  // 12 x 9 tiles of 128 x 128 fill 108 cores once; a row more starts a second wave of any tile.
  const ProductShape full{1, 12 * 128, 64, 9 * 128, 64, 9 * 128, 9 * 128};
  EXPECT_DOUBLE_EQ(product_time(full, unit()).arithmetic_s, 2.0 * 128 * 128 * 64);
  ProductShape more = full;
  more.m += 1;
  // 25 x 18 tiles of 64 x 64 are 450: five waves of a quarter of the work, less than two whole.
  EXPECT_DOUBLE_EQ(product_time(more, unit()).arithmetic_s, 5 * 2.0 * 64 * 64 * 64);
}

TEST(ProductTime, SmallTilesLoseMoreToTheirOperands) {
  ProductUnit u = unit();
  u.tile_loss = 32.0;
  // One tile of 64 x 64: reuse 32, half of the rate. (128 x 128 does four times the work at 2/3.)
  const ProductShape shape{1, 64, 64, 64, 64, 64, 64};
  EXPECT_DOUBLE_EQ(product_time(shape, u).arithmetic_s, 2.0 * 64 * 64 * 64 * 2.0);
}

TEST(ProductTime, DeepThinProductsAreSplitWhenThatPays) {
  ProductUnit u = unit();
  const ProductShape deep{1, 64, 4096, 64, 4096, 64, 64};
  const double whole_s = 2.0 * 64 * 64 * 4096;
  EXPECT_DOUBLE_EQ(product_time(deep, u).arithmetic_s, whole_s / 16);
  u.split_s = whole_s;  // adding up costs as much as everything
  const ProductTime kept = product_time(deep, u);
  EXPECT_DOUBLE_EQ(kept.arithmetic_s, whole_s);
  EXPECT_DOUBLE_EQ(kept.start_s, 0.0);
}

TEST(ProductTime, VeryDeepProductsAreSplitFurtherAndConvolutionsAreNot) {
  const ProductShape deep{1, 64, std::int64_t{1} << 19, 64, std::int64_t{1} << 19, 64, 64};
  const double whole_s = 2.0 * 64 * 64 * double(deep.k);
  // 128 parts of 4096 are two waves of 108 cores, 64 parts one.
  EXPECT_DOUBLE_EQ(product_time(deep, unit()).arithmetic_s, whole_s / 64);
  EXPECT_DOUBLE_EQ(implicit_product_time(deep, unit()).arithmetic_s, whole_s / 16);
  EXPECT_DOUBLE_EQ(whole_product_time(deep, unit()).arithmetic_s, whole_s);
  const ProductShape usual{1, 64, 65536, 64, 65536, 64, 64};  // parts of 2048 would be short
  EXPECT_DOUBLE_EQ(product_time(usual, unit()).arithmetic_s, 2.0 * 64 * 64 * 65536 / 16);
}

TEST(ProductTime, OneRowOrColumnIsReadOnceAndKeepsNoTileBusy) {
  ProductUnit u = unit();
  u.bytes_per_s = 1e3;
  u.start_s = 1.0;
  const ProductShape column{1, 100, 51200, 1, 51200, 1, 1};
  EXPECT_DOUBLE_EQ(product_time(column, u).total_s(), 1.0 + 4.0 * (5120000 + 51200 + 100) / 1e3);
  u.biased = 0.5;
  EXPECT_DOUBLE_EQ(biased_product_time(column, u).total_s(), product_time(column, u).total_s());
}

TEST(ProductTime, ABiasAddedToWholeTilesKeepsThemFromBeingSplit) {
  ProductUnit u = unit();
  const ProductShape deep{1, 64, 4096, 64, 4096, 64, 64};
  EXPECT_DOUBLE_EQ(biased_product_time(deep, u).arithmetic_s, product_time(deep, u).arithmetic_s);
  u.biased = 0.5;
  EXPECT_DOUBLE_EQ(biased_product_time(deep, u).arithmetic_s, 2.0 * 64 * 64 * 4096 / 0.5);
  EXPECT_DOUBLE_EQ(product_time(deep, u).arithmetic_s, 2.0 * 64 * 64 * 4096 / 16);
}

TEST(ProductTime, RowsThatArentMultiplesOf16BytesAreSlower) {
  ProductUnit u = unit();
  u.element_bytes = 2.0;
  u.unaligned = 0.25;
  ProductShape shape = square(128);
  const double aligned_s = product_time(shape, u).arithmetic_s;
  shape.lda = 129;
  EXPECT_DOUBLE_EQ(product_time(shape, u).arithmetic_s, 4.0 * aligned_s);
}

TEST(ProductTime, AResultsRowsHaveAPartOfTheirOwn) {
  ProductUnit u = unit();
  u.element_bytes = 2.0;
  u.unaligned = 0.25;
  u.unaligned_result = 0.5;
  ProductShape shape = square(128);
  const double aligned_s = product_time(shape, u).arithmetic_s;
  shape.ldc = 129;
  EXPECT_DOUBLE_EQ(product_time(shape, u).arithmetic_s, 2.0 * aligned_s);
  shape.ldb = 129;
  EXPECT_DOUBLE_EQ(product_time(shape, u).arithmetic_s, 4.0 * aligned_s);
}

TEST(ProductTime, RowsOfWholeWordsLoseLessThanOddOnes) {
  ProductUnit u = unit();
  u.element_bytes = 2.0;
  u.unaligned = 0.125;
  u.unaligned_result = 0.25;
  const auto longer = [&](std::int64_t lda, std::int64_t ldc) {
    ProductShape shape = square(128);
    const double aligned_s = product_time(shape, u).arithmetic_s;
    shape.lda = lda;
    shape.ldc = ldc;
    return product_time(shape, u).arithmetic_s / aligned_s;
  };
  EXPECT_DOUBLE_EQ(longer(130, 128), 8.0) << "nothing is known of words";
  u.unaligned_words = 0.5;
  EXPECT_DOUBLE_EQ(longer(130, 128), 2.0);
  EXPECT_DOUBLE_EQ(longer(128, 130), 2.0);
  EXPECT_DOUBLE_EQ(longer(129, 128), 8.0);
  EXPECT_DOUBLE_EQ(longer(128, 129), 4.0);
  EXPECT_DOUBLE_EQ(longer(136, 136), 1.0);
}

TEST(ProductTime, IsBoundByTrafficWhereThatIsSlower) {
  ProductUnit u = unit();
  u.bytes_per_s = 1e-3;
  u.start_s = 5.0;
  const ProductTime time = product_time(square(64), u);
  EXPECT_DOUBLE_EQ(time.traffic_s, 3.0 * 64 * 64 * 4 / 1e-3);
  EXPECT_DOUBLE_EQ(time.total_s(), 5.0 + time.traffic_s);
}

TEST(ProductTime, OfNothingIsNothing) {
  EXPECT_DOUBLE_EQ(product_time({1, 0, 5, 5, 5, 5, 5}, unit()).total_s(), 0.0);
}

}  // namespace
}  // namespace siliconprof
