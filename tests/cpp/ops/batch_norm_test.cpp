#include "siliconprof/ops/batch_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "ops/kept_statistics.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(BatchNorm, CostsSixFlopsAnElementAndSixAChannel) {
  const std::array<std::int64_t, 3> dims{5, 3, 2};
  EXPECT_EQ(kBatchNorm.cost(make_call(kBatchNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 3 * 66, .bytes_read = 60 + 12, .bytes_written = 60 + 24}));
  EXPECT_EQ(kBatchNormBackward.cost(make_call(kBatchNormBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 3 * 93, .bytes_read = 120 + 6 + 24, .bytes_written = 60 + 12}));
}

TEST(BatchNorm, ItsGradientTakesTheKeptStatistics) {
  expect_gradient_of_kept_statistics(
      single_op("batch_norm", {{"outer", 5}, {"channels", 3}, {"inner", 2}}, Dtype::BFloat16, {},
                false),
      kBatchNormBackward);
}

TEST(BatchNorm, AChannelNeedsAnElement) {
  try {
    make_call(kBatchNorm, std::array<std::int64_t, 3>{0, 3, 1}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[batch_norm] outer is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
