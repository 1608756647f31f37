#include "siliconprof/kernels/reference/activations.h"

#include <array>
#include <cmath>
#include <limits>

#include "../cpu/engine_agreement.h"
#include "cost_proof.h"
#include "siliconprof/ops/table.h"

namespace siliconprof::reference {
namespace {

const std::vector<std::string> kNames{"relu",     "leaky_relu", "selu",      "sigmoid",
                                      "softplus", "gelu_erf",   "gelu_tanh", "silu"};

double f(const std::string& op, double x, const std::vector<double>& attributes = {}) {
  const OpCall call =
      make_call(find_op(op), std::array{std::int64_t{1}}, Dtype::Float64, attributes);
  return cpu::define(call, {{x}})[0];
}

/// f'(x) as the backward op gives it for dy = 1.
double slope(const std::string& op, double x, const std::vector<double>& attributes = {}) {
  const OpCall call =
      make_call(find_op(op + "_backward"), std::array{std::int64_t{1}}, Dtype::Float64, attributes);
  return cpu::define(call, {{x}, {1.0}})[0];
}

TEST(ReferenceActivations, CostIsWhatTheDefinitionTakes) {
  for (const std::string& op : kNames) {
    for (const std::int64_t n : {1, 2, 17}) prove_op(op, {{"n", n}}, {});
  }
}

// Values of the closed forms, to the digits of a table.
TEST(ReferenceActivations, TakeTheirHandValues) {
  EXPECT_EQ(f("relu", -2.0), 0.0);
  EXPECT_EQ(f("relu", 3.0), 3.0);
  EXPECT_EQ(f("leaky_relu", -2.0), -0.02);
  EXPECT_EQ(f("leaky_relu", -2.0, {0.25}), -0.5);
  EXPECT_EQ(f("leaky_relu", 3.0), 3.0);
  EXPECT_NEAR(f("selu", 1.0), 1.0507009873554805, 1e-15);
  EXPECT_NEAR(f("selu", -1.0), -1.1113307378125625, 1e-14);
  EXPECT_EQ(f("sigmoid", 0.0), 0.5);
  EXPECT_NEAR(f("sigmoid", 2.0), 0.8807970779778823, 1e-15);
  EXPECT_NEAR(f("softplus", 0.0), 0.6931471805599453, 1e-15);
  EXPECT_NEAR(f("softplus", 1.0, {2.0, 20.0}), 1.0634640055214861, 1e-15);
  EXPECT_EQ(f("softplus", 20.5), 20.5);
  EXPECT_NEAR(f("gelu_erf", 1.0), 0.8413447460685429, 1e-15);  // Φ(1)
  EXPECT_NEAR(f("gelu_erf", -2.0), -2 * 0.022750131948179, 1e-14);
  EXPECT_NEAR(f("gelu_tanh", 1.0), 0.8411919906082768, 1e-14);
  EXPECT_NEAR(f("silu", 2.0), 1.7615941559557646, 1e-15);
}

TEST(ReferenceActivations, SlopesTakeTheirHandValuesAtAndBesideTheKinks) {
  EXPECT_EQ(slope("relu", 0.0), 0.0);
  EXPECT_EQ(slope("relu", 1e-300), 1.0);
  EXPECT_EQ(slope("leaky_relu", 0.0), 0.01);
  EXPECT_EQ(slope("leaky_relu", 1.0), 1.0);
  EXPECT_NEAR(slope("selu", 0.0), 1.7580993408473766, 1e-15);
  EXPECT_NEAR(slope("selu", 2.0), 1.0507009873554805, 1e-15);
  EXPECT_TRUE(std::isnan(slope("selu", std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(slope("sigmoid", 0.0), 0.25);
  EXPECT_EQ(slope("softplus", 0.0), 0.5);
  EXPECT_EQ(slope("softplus", 21.0), 1.0);
  EXPECT_EQ(slope("gelu_erf", 0.0), 0.5);
  EXPECT_NEAR(slope("gelu_erf", 1.0), 1.0833154705876864, 1e-14);  // Φ(1) + φ(1)
  EXPECT_EQ(slope("gelu_tanh", 0.0), 0.5);
  EXPECT_EQ(slope("silu", 0.0), 0.5);
}

TEST(ReferenceActivations, NanStaysNanAndInfinitiesGoWhereTheFormulaSays) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::string& op : kNames) EXPECT_TRUE(std::isnan(f(op, nan))) << op;
  for (const std::string& op : kNames) EXPECT_EQ(f(op, inf), op == "sigmoid" ? 1.0 : inf) << op;
  EXPECT_EQ(f("relu", -inf), 0.0);
  EXPECT_EQ(f("leaky_relu", -inf), -inf);
  EXPECT_NEAR(f("selu", -inf), -1.7580993408473766, 1e-15);
  EXPECT_EQ(f("sigmoid", -inf), 0.0);
  EXPECT_EQ(f("softplus", -inf), 0.0);
}

}  // namespace
}  // namespace siliconprof::reference
