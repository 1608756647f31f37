#include "siliconprof/ops/broadcast.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Broadcast, AddsTheAxisAndComputesNothing) {
  const OpCall call = make_call(kBroadcast, std::vector<std::int64_t>{2, 3, 5}, Dtype::Float64, {});
  EXPECT_EQ(kBroadcast.signature(call).inputs[0].shape, (Shape{2, 5}));
  EXPECT_EQ(kBroadcast.signature(call).outputs[0].shape, (Shape{2, 3, 5}));
  EXPECT_EQ(kBroadcast.cost(call), (Cost{.bytes_read = 80, .bytes_written = 240}));
}

TEST(Broadcast, VjpIsASum) {
  const Trace trace =
      single_op("broadcast", {{"outer", 2}, {"size", 3}, {"inner", 5}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op->name, "sum");
}

}  // namespace
}  // namespace siliconprof
