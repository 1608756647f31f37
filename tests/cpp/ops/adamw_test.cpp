#include "siliconprof/ops/adamw.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

OpCall call(Dtype dtype, const std::vector<double>& attributes) {
  return make_call(kAdamW, std::vector<std::int64_t>{7}, dtype, attributes);
}

TEST(AdamW, CostsTwentyEightBytesAParameterInFloat32) {
  EXPECT_EQ(kAdamW.cost(call(Dtype::Float32, {})),
            (Cost{.vector_flops = 98, .bytes_read = 7 * 16, .bytes_written = 7 * 12}));
}

TEST(AdamW, MomentsOfAHalfAreFloat32) {
  EXPECT_EQ(kAdamW.cost(call(Dtype::BFloat16, {})),
            (Cost{.vector_flops = 98, .bytes_read = 7 * 12, .bytes_written = 7 * 10}));
  const Signature signature = kAdamW.signature(call(Dtype::BFloat16, {}));
  EXPECT_EQ(signature.inputs[1].dtype, std::nullopt);
  EXPECT_EQ(signature.inputs[2].dtype, Dtype::Float32);
  EXPECT_EQ(signature.outputs[2].dtype, Dtype::Float32);
}

TEST(AdamW, ParameterAndMomentsMayBeUpdatedInPlace) {
  Trace trace;
  OpCall step = call(Dtype::Float16, {});
  const Shape shape{7};
  step.inputs[0] = trace.add_tensor({"p", shape, Dtype::Float16, Role::Parameter});
  step.inputs[1] = trace.add_tensor({"g", shape, Dtype::Float16, Role::Gradient});
  step.inputs[2] = trace.add_tensor({"m", shape, Dtype::Float32, Role::OptimizerState});
  step.inputs[3] = trace.add_tensor({"v", shape, Dtype::Float32, Role::OptimizerState});
  step.outputs[0] = step.inputs[0];
  step.outputs[1] = step.inputs[2];
  step.outputs[2] = step.inputs[3];
  EXPECT_NO_THROW(trace.append(step));
}

TEST(AdamW, RefusesAStepBelowOneAndABetaOfOne) {
  EXPECT_THROW(call(Dtype::Float32, {1e-3, 0.9, 0.999, 1e-8, 0.01, 0.0}), ArgumentError);
  EXPECT_THROW(call(Dtype::Float32, {1e-3, 1.0}), ArgumentError);
  EXPECT_THROW(call(Dtype::Float32, {1e-3, 0.9, -0.1}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
