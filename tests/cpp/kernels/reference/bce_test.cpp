#include "siliconprof/kernels/reference/bce.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/bce.h"

namespace siliconprof::reference {
namespace {

const auto kNoStep = [](std::int64_t) {};

double loss(const std::array<double, 2>& p, const std::array<double, 2>& t) {
  double l = 0.0;
  bce<double>(make_call(kBce, std::array{std::int64_t{2}}, Dtype::Float64, {}), p.data(), t.data(),
              &l, kNoStep);
  return l;
}

TEST(ReferenceBce, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {1, 2, 17}) prove_op("bce", {{"n", n}}, {});
}

TEST(ReferenceBce, LossByHand) {
  EXPECT_NEAR(loss({0.5, 0.25}, {1.0, 0.0}), (std::log(2.0) + std::log(4.0 / 3.0)) / 2, 1e-15);
  EXPECT_EQ(loss({0.0, 1.0}, {0.0, 1.0}), 0.0);
  EXPECT_EQ(loss({0.0, 1.0}, {1.0, 1.0}), 50.0) << "a logarithm is -100 at least";
  EXPECT_TRUE(std::isnan(loss({1.5, 0.5}, {1.0, 1.0})));
}

TEST(ReferenceBce, GradientsByHand) {
  const std::array<double, 2> p{0.5, 0.25};
  const std::array<double, 2> t{1.0, 0.0};
  const double dl = 3.0;
  std::array<double, 2> out{};
  const std::array<std::int64_t, 1> two{2};
  bce_backward<double>(make_call(kBceBackward, two, Dtype::Float64, {}), p.data(), t.data(), &dl,
                       out.data(), kNoStep);
  EXPECT_NEAR(out[0], -3.0, 1e-15);  // 3/2·(0.5 - 1)/0.25
  EXPECT_NEAR(out[1], 2.0, 1e-15);   // 3/2·0.25/0.1875
  bce_target_backward<double>(make_call(kBceTargetBackward, two, Dtype::Float64, {}), p.data(), &dl,
                              out.data(), kNoStep);
  EXPECT_NEAR(out[0], 0.0, 1e-15);
  EXPECT_NEAR(out[1], 1.5 * std::log(3.0), 1e-15);
}

}  // namespace
}  // namespace siliconprof::reference
