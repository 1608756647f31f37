#include "siliconprof/ops/sort.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

std::int64_t comparisons(std::int64_t size) {
  return kSort.cost(make_call(kSort, std::vector<std::int64_t>{1, size, 1}, Dtype::Float32, {}))
      .vector_flops;
}

// Knuth, The Art of Computer Programming 3, 5.3.1: B(n) = 0, 1, 3, 5, 8, 11, 14, 17, 21, ...
TEST(Sort, CostsTheComparisonsOfAMergeSort) {
  EXPECT_EQ(comparisons(0), 0);
  EXPECT_EQ(comparisons(1), 0);
  EXPECT_EQ(comparisons(2), 1);
  EXPECT_EQ(comparisons(3), 3);
  EXPECT_EQ(comparisons(4), 5);
  EXPECT_EQ(comparisons(5), 8);
  EXPECT_EQ(comparisons(9), 21);
  EXPECT_EQ(comparisons(1024), 9217);
}

TEST(Sort, WritesValuesAndInt32Order) {
  const OpCall call = make_call(kSort, std::vector<std::int64_t>{2, 3, 5}, Dtype::Float16, {});
  EXPECT_EQ(kSort.cost(call),
            (Cost{.vector_flops = 30, .bytes_read = 60, .bytes_written = 60 + 120}));
  const Signature signature = kSort.signature(call);
  EXPECT_EQ(signature.outputs.at(1).dtype, Dtype::Int32);
  EXPECT_EQ(signature.outputs.at(1).index_limit, 3);
}

TEST(Sort, ItsGradientFollowsTheOrderThatTheForwardPassLeft) {
  Trace trace =
      single_op("sort", {{"outer", 2}, {"size", 3}, {"inner", 5}}, Dtype::Float32, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::vector<TensorId> cotangents{
      trace.add_tensor({"dy", Shape{2, 3, 5}, Dtype::Float32, Role::Input}), kNoTensor};
  kSort.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].op->name, "sort_backward");
  EXPECT_EQ(trace.calls()[1].inputs[0], forward.outputs[1]);
}

}  // namespace
}  // namespace siliconprof
