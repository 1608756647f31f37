#include "siliconprof/ops/group_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "ops/kept_statistics.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(GroupNorm, CostsAsMuchAsLayerNormOnARowForEachGroup) {
  const std::array<std::int64_t, 4> dims{2, 3, 5, 2};
  EXPECT_EQ(kGroupNorm.cost(make_call(kGroupNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 6 * 75, .bytes_read = 120 + 60, .bytes_written = 120 + 48}));
  EXPECT_EQ(
      kGroupNormBackward.cost(make_call(kGroupNormBackward, dims, Dtype::Float16, {})),
      (Cost{.vector_flops = 6 * 132, .bytes_read = 240 + 30 + 48, .bytes_written = 120 + 60}));
}

TEST(GroupNorm, ItsGradientTakesTheKeptStatistics) {
  expect_gradient_of_kept_statistics(
      single_op("group_norm", {{"batch", 2}, {"groups", 3}, {"channels", 5}, {"inner", 2}},
                Dtype::BFloat16, {}, false),
      kGroupNormBackward);
}

TEST(GroupNorm, AGroupNeedsAnElement) {
  try {
    make_call(kGroupNorm, std::array<std::int64_t, 4>{3, 1, 1, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[group_norm] inner is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
