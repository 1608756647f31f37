#include "siliconprof/ops/transpose.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Transpose, MovesEveryByteOnce) {
  const OpCall call =
      make_call(kTranspose, std::vector<std::int64_t>{2, 3, 4, 5}, Dtype::Float16, {});
  EXPECT_EQ(kTranspose.cost(call), (Cost{.bytes_read = 240, .bytes_written = 240}));
  EXPECT_EQ(kTranspose.signature(call).outputs.at(0).shape, (Shape{2, 4, 3, 5}));
}

TEST(Transpose, ItsGradientIsTransposedBack) {
  const Trace trace = single_op("transpose", {{"outer", 2}, {"m", 3}, {"n", 4}, {"inner", 5}},
                                Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op->name, "transpose");
  EXPECT_EQ(trace.calls()[0].dims[1], 4);
  EXPECT_EQ(trace.calls()[0].dims[2], 3);
}

}  // namespace
}  // namespace siliconprof
