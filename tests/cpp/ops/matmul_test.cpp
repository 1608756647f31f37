#include "siliconprof/ops/matmul.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Matmul, CostsTwoFlopsPerMultiplyAddAndReadsEachInputOnce) {
  const OpCall call = make_call(kMatmul, Dims{2, 3, 4, 5}, Dtype::Float32, {});
  const Cost cost = kMatmul.cost(call);
  EXPECT_EQ(cost.matrix_flops, 240);
  EXPECT_EQ(cost.vector_flops, 0);
  EXPECT_EQ(cost.bytes_read, 2 * (12 + 20) * 4);
  EXPECT_EQ(cost.bytes_written, 2 * 15 * 4);
}

TEST(Matmul, MovesHalfTheBytesInHalfPrecision) {
  const OpCall call = make_call(kMatmul, Dims{1, 3, 4, 5}, Dtype::BFloat16, {});
  EXPECT_EQ(kMatmul.cost(call).bytes(), (12 + 20 + 15) * 2);
}

TEST(Matmul, StoresTransposedOperandsTransposed) {
  const OpCall call =
      make_call(kMatmul, Dims{2, 3, 4, 5}, Dtype::Float32, std::vector<double>{1.0, 1.0});
  const Signature signature = kMatmul.signature(call);
  EXPECT_EQ(signature.inputs[0].shape, (Shape{2, 4, 3}));
  EXPECT_EQ(signature.inputs[1].shape, (Shape{2, 5, 4}));
  EXPECT_EQ(signature.outputs[0].shape, (Shape{2, 3, 5}));
}

TEST(Matmul, VjpIsTwoProductsOfTheSameWork) {
  for (const double ta : {0.0, 1.0}) {
    for (const double tb : {0.0, 1.0}) {
      const Trace trace =
          single_op("matmul", {{"batch", 2}, {"m", 3}, {"k", 4}, {"n", 5}}, Dtype::Float32,
                    {{"transpose_a", ta}, {"transpose_b", tb}}, true);
      ASSERT_EQ(trace.calls().size(), 2U);
      EXPECT_EQ(trace.cost().matrix_flops, 2 * 240);
      // Gradients have the shapes of what they are gradients of, however that is stored.
      const auto& tensors = trace.tensors();
      for (int i = 0; i < 2; ++i) {
        const auto gradient = std::size_t(trace.calls()[std::size_t(i)].outputs[0]);
        EXPECT_EQ(tensors[gradient].shape, tensors[std::size_t(i)].shape);
        EXPECT_EQ(tensors[gradient].role, Role::Gradient);
        EXPECT_EQ(trace.calls()[std::size_t(i)].phase, Phase::Backward);
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof
