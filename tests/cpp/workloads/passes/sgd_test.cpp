#include "siliconprof/workloads/passes/sgd.h"

#include <gtest/gtest.h>

#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(Sgd, TheFirstStepFollowsTheGradient) {
  const Trace forward = tiny_mlp();
  const NamedValues gradients = TracedValues(differentiate(forward)).gradients();
  const NamedValues before = TracedValues(forward).parameters();
  const NamedValues after =
      TracedValues(sgd(differentiate(forward), {.learning_rate = 0.1})).parameters();
  for (const auto& [name, gradient] : gradients) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      EXPECT_NEAR(after.at(name)[i], before.at(name)[i] - 0.1 * gradient[i], 1e-14) << name;
    }
  }
}

TEST(Sgd, KeepsOneState) {
  const Trace trace = sgd(differentiate(tiny_mlp()));
  EXPECT_EQ(tensor_named(trace, "fc2.bias.velocity").role, Role::OptimizerState);
}

}  // namespace
}  // namespace siliconprof
