#include "siliconprof/ops/concat.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Concat, MovesEveryByteOnce) {
  const OpCall call = make_call(kConcat, std::vector<std::int64_t>{2, 3, 4, 5}, Dtype::Float32, {});
  EXPECT_EQ(kConcat.cost(call), (Cost{.bytes_read = 280, .bytes_written = 280}));
  EXPECT_EQ(kConcat.signature(call).outputs.at(0).shape, (Shape{2, 7, 5}));
}

TEST(Concat, ItsGradientIsTwoSlices) {
  const Trace trace = single_op("concat", {{"outer", 2}, {"first", 3}, {"second", 4}, {"inner", 5}},
                                Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 2U);
  for (const OpCall& call : trace.calls()) EXPECT_EQ(call.op->name, "slice");
  EXPECT_EQ(trace.calls()[0].attributes[0], 0.0);
  EXPECT_EQ(trace.calls()[1].attributes[0], 3.0);
}

}  // namespace
}  // namespace siliconprof
