#include "siliconprof/kernels/reference/group_norm.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/group_norm.h"
#include "siliconprof/ops/layer_norm.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceGroupNorm, CostIsWhatTheDefinitionTakes) {
  using Dims = std::array<std::int64_t, 4>;
  for (const auto& [batch, groups, channels, inner] :
       {Dims{1, 1, 1, 1}, {2, 3, 5, 4}, {0, 2, 3, 1}, {2, 0, 3, 1}, {3, 1, 2, 7}}) {
    prove_op("group_norm",
             {{"batch", batch}, {"groups", groups}, {"channels", channels}, {"inner", inner}}, {});
    prove_op("layer_norm", {{"rows", batch}, {"n", channels}}, {});
  }
}

// Deviations -2, 0, 0, 2: variance 2; rstd is 1/√(2 + 2) = 1/2.
TEST(ReferenceGroupNorm, ARowByHand) {
  const std::array<double, 4> x{1, 3, 3, 5};
  const std::array<double, 4> weight{1, 2, 3, 4};
  const std::array<double, 4> bias{10, 20, 30, 40};
  std::array<double, 4> y{};
  std::array<double, 1> mean{};
  std::array<double, 1> rstd{};
  group_norm<double>(Groups{1, 1, 4, 1}, 2.0, x.data(), weight.data(), bias.data(), y.data(),
                     mean.data(), rstd.data(), kStep);
  expect_near(y, {9, 20, 30, 44});
  EXPECT_EQ(mean[0], 3);
  EXPECT_EQ(rstd[0], 0.5);
}

TEST(ReferenceGroupNorm, TwoGroupsHaveStatisticsOfTheirOwnAndShareNoChannel) {
  const std::array<double, 8> x{1, 3, 3, 5, 0, 0, 2, 2};  // two groups of two channels of two
  const std::array<double, 4> weight{1, 2, 3, 4};
  const std::array<double, 4> bias{10, 20, 30, 40};
  std::array<double, 8> y{};
  std::array<double, 2> mean{};
  std::array<double, 2> rstd{};
  group_norm<double>(Groups{1, 2, 2, 2}, 0.0, x.data(), weight.data(), bias.data(), y.data(),
                     mean.data(), rstd.data(), kStep);
  const double root = std::sqrt(2.0);
  expect_near(y, {10 - root, 10, 20, 20 + 2 * root, 27, 27, 44, 44});
  expect_near(mean, {3, 1});
  expect_near(rstd, {1 / root, 1});
}

// x̂ is -1, 0, 0, 1, slopes are 4, 0, 0, 8; their mean 3, that of slope·x̂ 1.
TEST(ReferenceGroupNorm, SlopesByHand) {
  const std::array<double, 4> x{1, 3, 3, 5};
  const std::array<double, 4> weight{4, 2, 3, 4};
  const std::array<double, 1> mean{3};
  const std::array<double, 1> rstd{0.5};
  const std::array<double, 4> dy{1, 0, 0, 2};
  std::array<double, 4> dx{};
  std::array<double, 4> dweight{};
  std::array<double, 4> dbias{};
  group_norm_backward<double>(Groups{1, 1, 4, 1}, x.data(), weight.data(), mean.data(), rstd.data(),
                              dy.data(), dx.data(), dweight.data(), dbias.data(), kStep);
  expect_near(dx, {1, -1.5, -1.5, 2});
  expect_near(dweight, {-1, 0, 0, 2});
  expect_near(dbias, {1, 0, 0, 2});
}

}  // namespace
}  // namespace siliconprof::reference
