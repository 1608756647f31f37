#include "siliconprof/workloads/passes/update_parameters.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/differentiate.h"
#include "workloads/passes/tiny_models.h"

namespace siliconprof {
namespace {

TEST(UpdateParameters, WritesParameterAndStatesInPlaceInTheOptimizerPhase) {
  const Trace trace = update_parameters(differentiate(tiny_mlp()), "sgd", {0.5}, {"s"}, false);
  EXPECT_EQ(count_op(trace, "sgd"), 4);
  const OpCall& call = trace.calls().back();
  EXPECT_EQ(call.phase, Phase::Optimizer);
  EXPECT_EQ(call.attributes[0], 0.5);
  EXPECT_EQ(call.outputs[0], call.inputs[0]);
  EXPECT_EQ(call.outputs[1], call.inputs[2]);
  EXPECT_EQ(trace.sections().back().name, "optimizer");
}

}  // namespace
}  // namespace siliconprof
