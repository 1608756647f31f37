#include "siliconprof/kernels/reference/nt_xent.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/nt_xent.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceNtXent, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t rows : {0, 2, 4, 10}) prove_op("nt_xent", {{"rows", rows}}, {});
}

// Four views, all similarities 0 but that of view 0 and its positive 2: exp(z) = 6.
TEST(ReferenceNtXent, LossAndSlopesByHand) {
  const OpCall call =
      make_call(kNtXent, std::array<std::int64_t, 1>{4}, Dtype::Float64, std::array{0.5});
  std::array<double, 16> similarity{};
  similarity[2] = 0.5 * std::log(6.0);
  for (std::size_t i = 0; i < 4; ++i) similarity[5 * i] = 1e300;  // the diagonal does not count
  std::array<double, 1> loss{};
  std::array<double, 4> lse{};
  nt_xent<double>(call, similarity.data(), loss.data(), lse.data(), kStep);
  expect_near(lse, {std::log(8.0), std::log(3.0), std::log(3.0), std::log(3.0)});
  EXPECT_NEAR(loss[0], (std::log(8.0 / 6) + 3 * std::log(3.0)) / 4, 1e-12);
  const std::array<double, 1> dloss{2};  // over temperature and rows: 1
  std::array<double, 16> slopes{};
  nt_xent_backward<double>(call, similarity.data(), lse.data(), dloss.data(), slopes.data(), kStep);
  const double third = 1.0 / 3;
  expect_near(slopes, {0, 0.125, -0.25, 0.125, third, 0, third, -2 * third,  //
                       -2 * third, third, 0, third, third, -2 * third, third, 0});
}

}  // namespace
}  // namespace siliconprof::reference
