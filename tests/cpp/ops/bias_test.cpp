#include "siliconprof/ops/bias.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Bias, CostsAFlopAnElement) {
  EXPECT_EQ(kBias.cost(make_call(kBias, std::array<std::int64_t, 2>{2, 10}, Dtype::Float16, {})),
            (Cost{.vector_flops = 20, .bytes_read = 60, .bytes_written = 40}));
}

TEST(Bias, TheGradientOfItsInputIsTheCotangentItself) {
  Trace trace = single_op("bias", {{"rows", 2}, {"n", 10}}, Dtype::Float32, {}, false);
  const std::array cotangents{trace.add_tensor({"dy", Shape{2, 10}, Dtype::Float32, Role::Input})};
  const std::vector<TensorId> gradients = kBias.vjp(trace, OpCall(trace.calls()[0]), cotangents);
  EXPECT_EQ(gradients[0], cotangents[0]);
  EXPECT_EQ(trace.tensors()[std::size_t(gradients[1])].shape, (Shape{10}));
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].op->name, "sum");
}

TEST(Bias, MayReplaceItsInput) {
  Trace trace = single_op("bias", {{"rows", 2}, {"n", 10}}, Dtype::Float32, {}, false);
  OpCall again = trace.calls()[0];
  again.outputs[0] = again.inputs[0];
  EXPECT_NO_THROW(trace.append(again));
}

}  // namespace
}  // namespace siliconprof
