#include "siliconprof/kernels/reference/normalise.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/normalise.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 2>;

TEST(ReferenceNormalise, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, n] : {Dims{1, 1}, {2, 3}, {0, 3}, {4, 1}, {2, 0}}) {
    prove_op("normalise", {{"rows", rows}, {"n", n}}, {});
  }
}

TEST(ReferenceNormalise, RowsAndSlopesByHand) {
  const OpCall call = make_call(kNormalise, Dims{2, 2}, Dtype::Float64, std::array{0.1});
  const std::array<double, 4> x{3, 4, 0.03, 0.04};  // the second is shorter than epsilon
  std::array<double, 4> y{};
  std::array<double, 2> norm{};
  normalise<double>(call, x.data(), y.data(), norm.data(), kStep);
  expect_near(y, {0.6, 0.8, 0.3, 0.4});
  expect_near(norm, {5, 0.05});
  const std::array<double, 4> dy{1, 2, 1, 2};  // y·dy = 2.2
  std::array<double, 4> dx{};
  normalise_backward<double>(call, y.data(), norm.data(), dy.data(), dx.data(), kStep);
  expect_near(dx, {(1 - 1.32) / 5, (2 - 1.76) / 5, 10, 20});
}

}  // namespace
}  // namespace siliconprof::reference
