#include "siliconprof/kernels/reference/silu_gate.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/silu_gate.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceSiluGate, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {0, 1, 2, 17}) prove_op("silu_gate", {{"n", n}}, {});
}

TEST(ReferenceSiluGate, GatesByHand) {
  const std::array<double, 3> gate{0.0, std::log(3.0), -std::log(3.0)};
  const std::array<double, 3> up{5.0, 2.0, 8.0};
  std::array<double, 3> y{};
  silu_gate<double>(make_call(kSiluGate, std::array{std::int64_t{3}}, Dtype::Float64, {}),
                    gate.data(), up.data(), y.data(), [](std::int64_t) {});
  EXPECT_EQ(y[0], 0.0);
  EXPECT_NEAR(y[1], std::log(3.0) * 0.75 * 2, 1e-15);
  EXPECT_NEAR(y[2], -std::log(3.0) * 0.25 * 8, 1e-15);
}

// At 0 the slope of silu is a half.
TEST(ReferenceSiluGate, GradientsByHand) {
  const double gate = 0.0;
  const double up = 6.0;
  const double dy = 2.0;
  double dgate = 1.0;
  double dup = 1.0;
  silu_gate_backward<double>(
      make_call(kSiluGateBackward, std::array{std::int64_t{1}}, Dtype::Float64, {}), &gate, &up,
      &dy, &dgate, &dup, [](std::int64_t) {});
  EXPECT_EQ(dgate, 6.0);
  EXPECT_EQ(dup, 0.0);
}

}  // namespace
}  // namespace siliconprof::reference
