#include "siliconprof/kernels/reference/bias.h"

#include <array>

#include "by_hand.h"
#include "cost_proof.h"
#include "siliconprof/ops/bias.h"
#include "siliconprof/ops/bias_activation.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 2>;

TEST(ReferenceBias, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, n] : {Dims{1, 1}, {2, 3}, {0, 3}, {4, 1}, {2, 0}}) {
    for (const char* op : {"bias", "bias_relu", "bias_gelu_erf", "bias_gelu_tanh"}) {
      prove_op(op, {{"rows", rows}, {"n", n}}, {});
    }
  }
}

TEST(ReferenceBias, RowsAndSlopesByHand) {
  const OpCall call = make_call(kBiasRelu, Dims{2, 2}, Dtype::Float64, {});
  const std::array<double, 4> x{1, 2, -3, 4};
  const std::array<double, 2> b{1, -3};
  std::array<double, 4> y{};
  bias<double, SameValue<double>>(call, x.data(), b.data(), y.data(), kStep);
  EXPECT_EQ(y, (std::array<double, 4>{2, -1, -2, 1}));
  bias<double, Relu<ScalarMath<double>>>(call, x.data(), b.data(), y.data(), kStep);
  EXPECT_EQ(y, (std::array<double, 4>{2, 0, 0, 1}));
  const std::array<double, 4> dy{5, 6, 7, 8};
  std::array<double, 4> dx{};
  bias_backward<double, Relu<ScalarMath<double>>>(call, x.data(), b.data(), dy.data(), dx.data(),
                                                  kStep);
  EXPECT_EQ(dx, (std::array<double, 4>{5, 0, 0, 8}));
}

}  // namespace
}  // namespace siliconprof::reference
