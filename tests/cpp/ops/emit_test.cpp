#include "siliconprof/ops/emit.h"

#include <gtest/gtest.h>

#include "siliconprof/ops/copy.h"

namespace siliconprof {
namespace {

TEST(Emit, AppendsABackwardCallAndItsGradient) {
  Trace trace;
  const TensorId source = trace.add_tensor({"dy", {4}, Dtype::Float32, Role::Input});
  const TensorId made = emit_gradient(trace, kCopy, {4}, Dtype::Float32, {}, {source}, "dx");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(trace.tensors()[1], (TensorInfo{"dx", {4}, Dtype::Float32, Role::Gradient}));
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].phase, Phase::Backward);
  EXPECT_EQ(trace.calls()[0].inputs[0], source);
  EXPECT_EQ(trace.calls()[0].outputs[0], made);
}

}  // namespace
}  // namespace siliconprof
