#include "siliconprof/ops/outer.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Outer, CostsOneMultiplicationPerElementAndMostlyWrites) {
  const Cost cost =
      kOuter.cost(make_call(kOuter, std::vector<std::int64_t>{3, 2}, Dtype::Float32, {}));
  EXPECT_EQ(cost.vector_flops, 6);
  EXPECT_EQ(cost.matrix_flops, 0);
  EXPECT_EQ(cost.bytes_read, 5 * 4);
  EXPECT_EQ(cost.bytes_written, 6 * 4);
}

TEST(Outer, VjpIsTwoMatrixVectorProducts) {
  const Trace trace = single_op("outer", {{"m", 3}, {"n", 2}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.tensors()[std::size_t(trace.calls()[0].outputs[0])].shape, Shape{3});
  EXPECT_EQ(trace.tensors()[std::size_t(trace.calls()[1].outputs[0])].shape, Shape{2});
}

}  // namespace
}  // namespace siliconprof
