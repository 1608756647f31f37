#include "siliconprof/kernels/reference/softmax.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/softmax.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;

TEST(ReferenceSoftmax, CostIsWhatTheDefinitionTakes) {
  for (const auto& [outer, size, inner] : {Dims{1, 1, 1}, {2, 3, 5}, {1, 9, 1}, {4, 1, 3}}) {
    prove_op("softmax", {{"outer", outer}, {"size", size}, {"inner", inner}}, {});
  }
}

TEST(ReferenceSoftmax, SharesAndSlopesByHand) {
  const OpCall call = make_call(kSoftmax, Dims{1, 3, 1}, Dtype::Float64, {});
  const auto step = [](std::int64_t) {};
  // exp(x) is 1, 2 and 5 times e^1000.
  const std::array<double, 3> x{1000, 1000 + std::log(2.0), 1000 + std::log(5.0)};
  std::array<double, 3> y{};
  softmax<double>(call, x.data(), y.data(), step);
  EXPECT_NEAR(y[0], 0.125, 1e-12);
  EXPECT_NEAR(y[1], 0.25, 1e-12);
  EXPECT_NEAR(y[2], 0.625, 1e-12);
  const std::array<double, 3> exact{0.125, 0.25, 0.625};
  const std::array<double, 3> dy{8, 0, -8};  // y·dy = 1 + 0 - 5
  std::array<double, 3> dx{};
  softmax_backward<double>(call, exact.data(), dy.data(), dx.data(), step);
  EXPECT_EQ(dx, (std::array<double, 3>{1.5, 1, -2.5}));
}

}  // namespace
}  // namespace siliconprof::reference
