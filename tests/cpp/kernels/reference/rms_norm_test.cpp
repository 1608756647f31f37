#include "siliconprof/kernels/reference/rms_norm.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/rms_norm.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 2>;

TEST(ReferenceRmsNorm, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, n] : {Dims{1, 1}, {2, 3}, {0, 3}, {4, 1}}) {
    prove_op("rms_norm", {{"rows", rows}, {"n", n}}, {});
  }
}

// Mean square 12.5; with epsilon 3.5 the root is 4.
TEST(ReferenceRmsNorm, ARowAndItsSlopesByHand) {
  const OpCall call = make_call(kRmsNorm, Dims{1, 2}, Dtype::Float64, std::array{3.5});
  const std::array<double, 2> x{3, 4};
  const std::array<double, 2> weight{2, 1};
  std::array<double, 2> y{};
  std::array<double, 1> rrms{};
  rms_norm<double>(call, x.data(), weight.data(), y.data(), rrms.data(), kStep);
  expect_near(y, {1.5, 1});
  EXPECT_EQ(rrms[0], 0.25);
  // x̂ is 0.75, 1; slopes are 8, 6; the mean of slope·x̂ is 6.
  const std::array<double, 2> dy{4, 6};
  std::array<double, 2> dx{};
  std::array<double, 2> dweight{};
  rms_norm_backward<double>(call, x.data(), weight.data(), rrms.data(), dy.data(), dx.data(),
                            dweight.data(), kStep);
  expect_near(dx, {0.875, 0});
  expect_near(dweight, {3, 6});
}

}  // namespace
}  // namespace siliconprof::reference
