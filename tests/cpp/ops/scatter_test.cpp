#include "siliconprof/ops/scatter.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

const std::map<std::string, std::int64_t> kSizes{{"rows", 10}, {"count", 30}, {"columns", 4}};

Cost cost_of(const Op& op) {
  return op.cost(make_call(op, std::vector<std::int64_t>{10, 30, 4}, Dtype::Float32, {}));
}

// Rows of 16 bytes, 120 bytes of indices; all 10 rows are updated.
TEST(Scatter, CostsByHand) {
  EXPECT_EQ(cost_of(kScatter), (Cost{.bytes_read = 160 + 120, .bytes_written = 160}));
  EXPECT_EQ(cost_of(kScatterBackward), (Cost{.bytes_read = 160 + 120, .bytes_written = 160 + 480}));
  EXPECT_EQ(cost_of(kScatterSum),
            (Cost{.vector_flops = 120, .bytes_read = 480 + 120, .bytes_written = 160}));
  EXPECT_EQ(cost_of(kScatterMax),
            (Cost{.vector_flops = 80, .bytes_read = 480 + 120, .bytes_written = 160}));
  EXPECT_EQ(cost_of(kScatterMaxBackward),
            (Cost{.vector_flops = 120, .bytes_read = 480 + 320 + 120, .bytes_written = 480}));
}

TEST(Scatter, GradientsGoToTheFirstInputAndTheUpdates) {
  const Trace trace = single_op("scatter", kSizes, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.results().size(), 2U);
  EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].shape, (Shape{10, 4}));
  EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[1])].shape, (Shape{30, 4}));
}

TEST(Scatter, MayUpdateItsInput) {
  Trace trace("in place");
  OpCall call = make_call(kScatter, std::vector<std::int64_t>{10, 30, 4}, Dtype::Float32, {});
  call.inputs[0] = trace.add_tensor({"x", Shape{10, 4}, Dtype::Float32, Role::Input});
  call.inputs[1] = trace.add_tensor({"index", Shape{30}, Dtype::Int32, Role::Input, 10});
  call.inputs[2] = trace.add_tensor({"updates", Shape{30, 4}, Dtype::Float32, Role::Input});
  call.outputs[0] = call.inputs[0];
  EXPECT_NO_THROW(trace.append(call));
}

TEST(Scatter, TheGradientOfASumIsAGather) {
  const Trace trace = single_op("scatter_sum", kSizes, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op->name, "gather");
}

TEST(Scatter, TheGradientOfAMaximumTakesTheMaxima) {
  const Trace trace = single_op("scatter_max", kSizes, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[0].op->name, "scatter_max");
  EXPECT_EQ(trace.calls()[1].op->name, "scatter_max_backward");
  EXPECT_EQ(trace.calls()[1].inputs[2], trace.calls()[0].outputs[0]);
}

TEST(Scatter, NeedsARowForItsUpdates) {
  for (const Op* op :
       {&kScatter, &kScatterBackward, &kScatterSum, &kScatterMax, &kScatterMaxBackward}) {
    EXPECT_THROW(make_call(*op, std::vector<std::int64_t>{0, 1, 4}, Dtype::Float32, {}),
                 ShapeError);
    EXPECT_NO_THROW(make_call(*op, std::vector<std::int64_t>{0, 0, 4}, Dtype::Float32, {}));
  }
}

}  // namespace
}  // namespace siliconprof
