#include "siliconprof/kernels/reference/prelu.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/prelu.h"

namespace siliconprof::reference {
namespace {

const auto kNoStep = [](std::int64_t) {};
const std::array<std::int64_t, 1> kThree{3};

TEST(ReferencePrelu, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {1, 2, 17}) prove_op("prelu", {{"n", n}}, {});
}

TEST(ReferencePrelu, ForwardAndBothGradientsByHand) {
  const std::array<double, 3> x{-2, 0, 3};
  const std::array<double, 3> dy{5, 7, 11};
  const double w = 0.25;
  std::array<double, 3> out{};
  prelu<double>(make_call(kPrelu, kThree, Dtype::Float64, {}), x.data(), &w, out.data(), kNoStep);
  EXPECT_EQ(out, (std::array<double, 3>{-0.5, 0, 3}));
  prelu_backward<double>(make_call(kPreluBackward, kThree, Dtype::Float64, {}), x.data(), &w,
                         dy.data(), out.data(), kNoStep);
  EXPECT_EQ(out, (std::array<double, 3>{1.25, 1.75, 11}));
  double dw = 0.0;
  prelu_weight_backward<double>(make_call(kPreluWeightBackward, kThree, Dtype::Float64, {}),
                                x.data(), dy.data(), &dw, kNoStep);
  EXPECT_EQ(dw, -10.0);
}

}  // namespace
}  // namespace siliconprof::reference
