#include "siliconprof/kernels/reference/rotary.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/rotary.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceRotary, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t tokens : {0, 1, 5}) {
    prove_op("rotary", {{"batch", 2}, {"tokens", tokens}, {"heads", 3}, {"head_dim", 4}}, {});
  }
}

// Token 1 of two channels turns by 1 radian, token 0 not at all.
TEST(ReferenceRotary, TurnsByTheTokensAngle) {
  const std::array<double, 4> x{1.0, 0.0, 1.0, 0.0};
  std::array<double, 4> y{};
  rotary<double>(make_call(kRotary, std::array<std::int64_t, 4>{1, 2, 1, 2}, Dtype::Float64, {}),
                 x.data(), y.data(), [](std::int64_t) {});
  EXPECT_EQ(y[0], 1.0);
  EXPECT_EQ(y[1], 0.0);
  EXPECT_NEAR(y[2], std::cos(1.0), 1e-15);
  EXPECT_NEAR(y[3], std::sin(1.0), 1e-15);
}

TEST(ReferenceRotary, PairsAChannelWithTheOneHalfAHeadAway) {
  const std::array<double, 4> x{1.0, 0.0, 0.0, 0.0};
  std::array<double, 4> y{};
  OpCall call = make_call(kRotary, std::array<std::int64_t, 4>{1, 1, 1, 4}, Dtype::Float64, {});
  rotary<double>(call, x.data(), y.data(), [](std::int64_t) {});
  EXPECT_EQ(y[0], 1.0);
  EXPECT_NEAR(rotary_angle(call, 3, 1), 3.0 / 100.0, 1e-15) << "10000^(-2/4)";
  call.attributes[1] = 1.0;
  EXPECT_NEAR(rotary_angle(call, 3, 1), -3.0 / 100.0, 1e-15);
}

}  // namespace
}  // namespace siliconprof::reference
