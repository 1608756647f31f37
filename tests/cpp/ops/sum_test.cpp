#include "siliconprof/ops/sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Sum, TakesTheAxisAwayAndCostsOneAdditionATerm) {
  const OpCall call = make_call(kSum, std::vector<std::int64_t>{2, 3, 5}, Dtype::Float16, {});
  EXPECT_EQ(kSum.signature(call).inputs[0].shape, (Shape{2, 3, 5}));
  EXPECT_EQ(kSum.signature(call).outputs[0].shape, (Shape{2, 5}));
  EXPECT_EQ(kSum.cost(call), (Cost{.vector_flops = 30, .bytes_read = 60, .bytes_written = 20}));
}

TEST(Sum, VjpRepeatsTheCotangent) {
  const Trace trace =
      single_op("sum", {{"outer", 2}, {"size", 3}, {"inner", 5}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op->name, "broadcast");
  EXPECT_EQ(trace.calls()[0].phase, Phase::Backward);
}

}  // namespace
}  // namespace siliconprof
