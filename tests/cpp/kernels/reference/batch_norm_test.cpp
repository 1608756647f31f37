#include "siliconprof/kernels/reference/batch_norm.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/batch_norm.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceBatchNorm, CostIsWhatTheDefinitionTakes) {
  using Dims = std::array<std::int64_t, 3>;
  for (const auto& [outer, channels, inner] : {Dims{1, 1, 1}, {2, 3, 5}, {9, 4, 1}, {4, 0, 3}}) {
    prove_op("batch_norm", {{"outer", outer}, {"channels", channels}, {"inner", inner}}, {});
  }
}

// Channel 0 holds 1, 3, 3, 5 (rstd 1/2 with epsilon 2), channel 1 four sevens (1/√2).
TEST(ReferenceBatchNorm, ChannelsByHandWhereverTheyLie) {
  const std::array<double, 2> weight{4, 1};
  const std::array<double, 2> bias{10, 20};
  const auto run = [&](std::int64_t outer, std::int64_t inner, const std::array<double, 8>& x) {
    const OpCall call = make_call(kBatchNorm, std::array<std::int64_t, 3>{outer, 2, inner},
                                  Dtype::Float64, std::array{2.0});
    std::array<double, 8> y{};
    std::array<double, 2> mean{};
    std::array<double, 2> rstd{};
    batch_norm<double>(call, x.data(), weight.data(), bias.data(), y.data(), mean.data(),
                       rstd.data(), kStep);
    expect_near(mean, {3, 7});
    expect_near(rstd, {0.5, 1 / std::sqrt(2.0)});
    return y;
  };
  EXPECT_EQ(run(4, 1, {1, 7, 3, 7, 3, 7, 5, 7}),
            (std::array<double, 8>{6, 20, 10, 20, 10, 20, 14, 20}));
  EXPECT_EQ(run(2, 2, {1, 3, 7, 7, 3, 5, 7, 7}),
            (std::array<double, 8>{6, 10, 20, 20, 10, 14, 20, 20}));
}

// x̂ is -1, 0, 0, 1; the mean slope is 0.75, that of slope·x̂ 0.25.
TEST(ReferenceBatchNorm, SlopesByHand) {
  const OpCall call =
      make_call(kBatchNormBackward, std::array<std::int64_t, 3>{4, 1, 1}, Dtype::Float64, {});
  const std::array<double, 4> x{1, 3, 3, 5};
  const std::array<double, 1> weight{4};
  const std::array<double, 1> mean{3};
  const std::array<double, 1> rstd{0.5};
  const std::array<double, 4> dy{1, 0, 0, 2};
  std::array<double, 4> dx{};
  std::array<double, 1> dweight{};
  std::array<double, 1> dbias{};
  batch_norm_backward<double>(call, x.data(), weight.data(), mean.data(), rstd.data(), dy.data(),
                              dx.data(), dweight.data(), dbias.data(), kStep);
  expect_near(dx, {1, -1.5, -1.5, 2});
  EXPECT_EQ(dweight[0], 1);
  EXPECT_EQ(dbias[0], 3);
}

}  // namespace
}  // namespace siliconprof::reference
