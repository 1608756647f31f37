#include "siliconprof/workloads/passes/loss_scaling.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Trace scaled() {
  const Trace forward = with_loss_scale(tiny_mlp());
  return differentiate(forward, forward.results()[0], find_tensor(forward, "loss_scale"));
}

TEST(LossScaling, DividingByTheScaleGivesTheGradientsBack) {
  const NamedValues plain = TracedValues(differentiate(tiny_mlp())).gradients();
  const NamedValues large = TracedValues(scaled()).gradients();
  const NamedValues after = TracedValues(unscale(scaled())).gradients();
  for (const auto& [name, values] : plain) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_DOUBLE_EQ(large.at(name)[i], values[i] * kFirstLossScale) << name;
      EXPECT_DOUBLE_EQ(after.at(name)[i], values[i]) << name;
    }
  }
}

TEST(LossScaling, AnOverflowHalvesTheScaleAndIsFound) {
  const Trace trace = update_loss_scale(unscale(scaled()));
  const TracedValues fine(trace);
  EXPECT_EQ(fine.of("loss_scale")[0], kFirstLossScale);
  EXPECT_EQ(fine.of("growth_tracker")[0], 1.0);
  EXPECT_EQ(fine.of("found_inf")[0], 0.0);
  const TracedValues over(trace, {{"loss_scale", {1e308 * 10}}});
  EXPECT_EQ(over.of("found_inf")[0], 1.0);
  EXPECT_EQ(over.of("growth_tracker")[0], 0.0);
}

TEST(LossScaling, ATraceWithoutItSaysSo) {
  EXPECT_THROW(unscale(differentiate(tiny_mlp())), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
