#include "siliconprof/ops/rms_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "ops/kept_statistics.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(RmsNorm, CostsFourFlopsAnElementAndFourARow) {
  const std::array<std::int64_t, 2> dims{2, 10};
  EXPECT_EQ(kRmsNorm.cost(make_call(kRmsNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 44, .bytes_read = 40 + 20, .bytes_written = 40 + 8}));
  EXPECT_EQ(kRmsNormBackward.cost(make_call(kRmsNormBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 91, .bytes_read = 80 + 20 + 8, .bytes_written = 40 + 20}));
}

TEST(RmsNorm, ItsGradientTakesTheKeptStatistics) {
  expect_gradient_of_kept_statistics(
      single_op("rms_norm", {{"rows", 2}, {"n", 10}}, Dtype::BFloat16, {}, false),
      kRmsNormBackward);
}

TEST(RmsNorm, ARowNeedsAnElement) {
  try {
    make_call(kRmsNorm, std::array<std::int64_t, 2>{3, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[rms_norm] n is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
