#include "siliconprof/ops/causal_mask.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

Cost cost(std::int64_t batch, std::int64_t rows, std::int64_t columns) {
  const std::array dims{batch, rows, columns};
  return kCausalMask.cost(make_call(kCausalMask, dims, Dtype::Float16, {}));
}

TEST(CausalMask, ReadsWhatItShows) {
  // 1 + 2 + 3 + 4 of 16; 3 + 4 of 8; of four rows the last two see 1 and 2.
  EXPECT_EQ(cost(3, 4, 4), (Cost{.bytes_read = 60, .bytes_written = 96}));
  EXPECT_EQ(cost(1, 2, 4), (Cost{.bytes_read = 14, .bytes_written = 16}));
  EXPECT_EQ(cost(1, 4, 2), (Cost{.bytes_read = 6, .bytes_written = 16}));
  EXPECT_EQ(cost(1, 4, 0), (Cost{}));
  EXPECT_EQ(cost(1, 0, 4), (Cost{}));
}

TEST(CausalMask, ItsGradientIsTheMaskOfTheCotangentAlone) {
  const Trace trace = single_op("causal_mask", {{"batch", 1}, {"rows", 2}, {"columns", 4}},
                                Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op, &kCausalMaskBackward);
}

TEST(CausalMask, MayReplaceItsInput) {
  Trace trace = single_op("causal_mask", {{"batch", 1}, {"rows", 2}, {"columns", 4}},
                          Dtype::Float32, {}, false);
  OpCall again = trace.calls()[0];
  again.outputs[0] = again.inputs[0];
  EXPECT_NO_THROW(trace.append(again));
}

}  // namespace
}  // namespace siliconprof
