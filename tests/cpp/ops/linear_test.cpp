#include "siliconprof/ops/linear.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Linear, CostsAProductAndOneAdditionForEachResult) {
  const OpCall call = make_call(kLinear, Dims{3, 4, 5}, Dtype::Float32, {});
  EXPECT_EQ(kLinear.cost(call), (Cost{.matrix_flops = 120,
                                      .vector_flops = 15,
                                      .bytes_read = (12 + 20 + 5) * 4,
                                      .bytes_written = 15 * 4}));
  const Signature signature = kLinear.signature(call);
  EXPECT_EQ(signature.inputs[1].shape, (Shape{5, 4}));
}

TEST(Linear, VjpIsTwoProductsAndASumInTheShapesOfTheInputs) {
  const Trace trace =
      single_op("linear", {{"rows", 3}, {"in", 4}, {"out", 5}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 3U);
  EXPECT_EQ(trace.calls()[0].op->name, "matmul");
  EXPECT_EQ(trace.calls()[1].op->name, "matmul");
  EXPECT_EQ(trace.calls()[2].op->name, "sum");
  EXPECT_EQ(trace.cost().matrix_flops, 2 * 120);
  const std::vector<Shape> shapes{Shape{3, 4}, Shape{5, 4}, Shape{5}};
  ASSERT_EQ(trace.results().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[i])].shape, shapes[i]);
  }
}

}  // namespace
}  // namespace siliconprof
