#include "siliconprof/ops/layer_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "ops/kept_statistics.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(LayerNorm, CostsSevenFlopsAnElementAndFiveARow) {
  const std::array<std::int64_t, 2> dims{2, 10};
  EXPECT_EQ(kLayerNorm.cost(make_call(kLayerNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 75, .bytes_read = 40 + 40, .bytes_written = 40 + 16}));
  EXPECT_EQ(kLayerNormBackward.cost(make_call(kLayerNormBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 132, .bytes_read = 80 + 20 + 16, .bytes_written = 40 + 40}));
}

TEST(LayerNorm, ItsGradientTakesTheKeptStatistics) {
  expect_gradient_of_kept_statistics(
      single_op("layer_norm", {{"rows", 2}, {"n", 10}}, Dtype::BFloat16, {}, false),
      kLayerNormBackward);
}

TEST(LayerNorm, ARowNeedsAnElement) {
  try {
    make_call(kLayerNorm, std::array<std::int64_t, 2>{3, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[layer_norm] n is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
