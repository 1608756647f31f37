#include "siliconprof/kernels/reference/cross_entropy.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/cross_entropy.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 2>;

TEST(ReferenceCrossEntropy, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, v] : {Dims{1, 1}, {2, 3}, {0, 3}, {4, 1}, {3, 7}}) {
    prove_op("cross_entropy", {{"rows", rows}, {"v", v}}, {});
  }
}

// exp(logit) is 1, 2, 5 times e^1000, then three times 1.
TEST(ReferenceCrossEntropy, LossAndSlopesByHand) {
  const OpCall call = make_call(kCrossEntropy, Dims{2, 3}, Dtype::Float64, {});
  const std::array<double, 6> logits{1000, 1000 + std::log(2.0), 1000 + std::log(5.0), 0, 0, 0};
  const std::array<std::int32_t, 2> target{1, 2};
  std::array<double, 1> loss{};
  std::array<double, 2> lse{};
  cross_entropy<double>(call, logits.data(), target.data(), loss.data(), lse.data(), kStep);
  EXPECT_NEAR(loss[0], (std::log(4.0) + std::log(3.0)) / 2, 1e-12);
  expect_near(lse, {1000 + std::log(8.0), std::log(3.0)});
  const std::array<double, 1> dloss{16};
  std::array<double, 6> dlogits{};
  cross_entropy_backward<double>(call, logits.data(), target.data(), lse.data(), dloss.data(),
                                 dlogits.data(), kStep);
  expect_near(dlogits, {1, -6, 5, 8.0 / 3, 8.0 / 3, -16.0 / 3});
}

TEST(ReferenceCrossEntropy, TheMeanOfNoRowIsNotANumber) {
  const OpCall call = make_call(kCrossEntropy, Dims{0, 3}, Dtype::Float64, {});
  const double* none = nullptr;
  const std::int32_t* no_target = nullptr;
  std::array<double, 1> loss{};
  std::array<double, 1> lse{};
  cross_entropy<double>(call, none, no_target, loss.data(), lse.data(), kStep);
  EXPECT_TRUE(std::isnan(loss[0]));
}

}  // namespace
}  // namespace siliconprof::reference
