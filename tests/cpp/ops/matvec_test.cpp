#include "siliconprof/ops/matvec.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Matvec, CostsOneMultiplyAddPerMatrixElement) {
  const Cost cost = kMatvec.cost(make_call(kMatvec, Dims{3, 2}, Dtype::Float64, {}));
  EXPECT_EQ(cost.matrix_flops, 12);
  EXPECT_EQ(cost.bytes_read, (6 + 2) * 8);
  EXPECT_EQ(cost.bytes_written, 3 * 8);
}

TEST(Matvec, TransposedSwapsTheVectors) {
  const OpCall call = make_call(kMatvec, Dims{3, 2}, Dtype::Float64, std::vector<double>{1.0});
  EXPECT_EQ(kMatvec.signature(call).inputs[1].shape, Shape{3});
  EXPECT_EQ(kMatvec.signature(call).outputs[0].shape, Shape{2});
  EXPECT_EQ(kMatvec.cost(call).bytes_read, (6 + 3) * 8);
  EXPECT_EQ(kMatvec.cost(call).bytes_written, 2 * 8);
}

TEST(Matvec, VjpIsAnOuterProductAndATransposedProduct) {
  for (const double transpose : {0.0, 1.0}) {
    const Trace trace =
        single_op("matvec", {{"m", 3}, {"n", 2}}, Dtype::Float64, {{"transpose", transpose}}, true);
    ASSERT_EQ(trace.calls().size(), 2U);
    EXPECT_EQ(trace.calls()[0].op->name, "outer");
    EXPECT_EQ(trace.calls()[1].op->name, "matvec");
    EXPECT_EQ(trace.calls()[1].attributes[0], 1.0 - transpose);
    EXPECT_EQ(trace.tensors()[std::size_t(trace.calls()[0].outputs[0])].shape, (Shape{3, 2}));
  }
}

}  // namespace
}  // namespace siliconprof
