#include "siliconprof/ops/bias_activation.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/ops/activations.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(BiasActivation, CostsAFlopMoreThanTheActivation) {
  const std::array<std::int64_t, 2> dims{3, 10};
  const std::array<std::int64_t, 1> n{30};
  const auto flops = [](const Op& op, auto sizes) {
    return op.cost(make_call(op, sizes, Dtype::Float16, {})).vector_flops;
  };
  EXPECT_EQ(flops(kBiasRelu, dims), flops(kRelu, n) + 30);
  EXPECT_EQ(flops(kBiasGeluErf, dims), flops(kGeluErf, n) + 30);
  EXPECT_EQ(flops(kBiasGeluTanh, dims), flops(kGeluTanh, n) + 30);
  EXPECT_EQ(flops(kBiasReluBackward, dims), flops(kReluBackward, n) + 30);
  EXPECT_EQ(flops(kBiasGeluErfBackward, dims), flops(kGeluErfBackward, n) + 30);
  EXPECT_EQ(flops(kBiasGeluTanhBackward, dims), flops(kGeluTanhBackward, n) + 30);
}

TEST(BiasActivation, ItsGradientIsOnePassAndASum) {
  for (const char* op : {"bias_relu", "bias_gelu_erf", "bias_gelu_tanh"}) {
    const Trace trace = single_op(op, {{"rows", 3}, {"n", 10}}, Dtype::Float32, {}, true);
    ASSERT_EQ(trace.calls().size(), 2U);
    EXPECT_EQ(trace.calls()[0].op->name, std::string(op) + "_backward");
    EXPECT_EQ(trace.calls()[1].op->name, "sum");
    EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].shape, (Shape{3, 10}));
    EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[1])].shape, (Shape{10}));
  }
}

}  // namespace
}  // namespace siliconprof
