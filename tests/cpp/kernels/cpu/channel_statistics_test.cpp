#include "siliconprof/kernels/cpu/channel_statistics.h"

#include <gtest/gtest.h>

#include "norm_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(ChannelStatistics, RowsAreJoinedUntilTheyAreWide) {
  const WideRows wide({10, 3, 1}, 12);
  EXPECT_EQ(wide.together, 4);
  EXPECT_EQ(wide.n, 12);
  EXPECT_EQ(wide.rows, 2);
  EXPECT_EQ(wide.rest, 2);
  const WideRows alone({10, 30, 1}, 12);
  EXPECT_EQ(alone.together, 1);
  EXPECT_EQ(alone.rest, 0);
}

// Channel 0 counts 0, 1, ..., 6; channel 1 is 5 throughout.
TEST(ChannelStatistics, MomentsAndSumsByHand) {
  const Poll none;
  for (const std::int64_t inner : {1, 7}) {
    std::vector<float> x(14);
    std::vector<float> dy(14, 2.0F);
    for (std::size_t i = 0; i < 7; ++i) {
      x[inner == 1 ? 2 * i : i] = float(i);
      x[inner == 1 ? 2 * i + 1 : 7 + i] = 5;
    }
    const ChannelShape shape{7 / inner, 2, inner};
    const OpCall call = make_call(
        find_op("batch_norm"), std::array{shape.outer, std::int64_t{2}, inner}, Dtype::Float32, {});
    const KernelCall k{call, {}, {}, 2, none};
    const Shape all{shape.outer, 2, inner};
    const TensorView values{x.data(), Dtype::Float32, all};
    const Moments moments = channel_moments(k, shape, values);
    EXPECT_NEAR(moments.mean[0], 3, 1e-6);
    EXPECT_NEAR(moments.mean[1], 5, 1e-6);
    EXPECT_NEAR(moments.squares[0], 28, 1e-5);
    EXPECT_NEAR(moments.squares[1], 0, 1e-10);
    std::array<float, 2> mean{1, 1};
    const SlopeSums sums = channel_slope_sums(k, shape, values, {dy.data(), Dtype::Float32, all},
                                              {mean.data(), Dtype::Float32, Shape{2}});
    EXPECT_EQ(sums.sum, (std::vector<double>{14, 14}));
    EXPECT_EQ(sums.dot, (std::vector<double>{28, 56}));
  }
}

// 1000 rows of 64 channels are 500 of 128: 8 blocks of 64 rows, each with three float32 a column.
TEST(ChannelStatistics, ScratchHoldsThreeNumbersForEachColumnOfABlock) {
  EXPECT_EQ(statistics_bytes({1000, 64, 1}, Dtype::Float32), 8 * 3 * 128 * 4);
  EXPECT_EQ(statistics_bytes({1000, 64, 2}, Dtype::Float32), 0);
}

}  // namespace
}  // namespace siliconprof::cpu
