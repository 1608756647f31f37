#include "siliconprof/ops/gather.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Gather, ReadsAsManyRowsAsCanDiffer) {
  const OpCall few = make_call(kGather, Dims{10, 3, 4}, Dtype::Float32, {});
  EXPECT_EQ(kGather.cost(few), (Cost{.bytes_read = 3 * 16 + 3 * 4, .bytes_written = 3 * 16}));
  const OpCall many = make_call(kGather, Dims{10, 30, 4}, Dtype::Float32, {});
  EXPECT_EQ(kGather.cost(many), (Cost{.bytes_read = 10 * 16 + 30 * 4, .bytes_written = 30 * 16}));
}

TEST(Gather, ItsGradientIsASumOfScatteredRows) {
  const Trace trace =
      single_op("gather", {{"rows", 7}, {"count", 5}, {"columns", 3}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op->name, "scatter_sum");
  ASSERT_EQ(trace.results().size(), 1U);
  EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].shape, (Shape{7, 3}));
}

}  // namespace
}  // namespace siliconprof
