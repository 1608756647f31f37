#include "siliconprof/ops/attention.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;
using Attributes = std::vector<double>;
const std::map<std::string, std::int64_t> kSizes{
    {"batch", 2}, {"heads", 3}, {"queries", 4}, {"keys", 5}, {"head_dim", 6}};

TEST(Attention, CostsTwoProductsForEachPairThatIsSeen) {
  // 24 rows of 5 scores: scaling, difference, exponential and sum of each, 4 comparisons; then 6
  // quotients, a logarithm and its sum.
  const OpCall all = make_call(kAttention, Dims{2, 3, 4, 5, 6}, Dtype::Float16, Attributes{0});
  EXPECT_EQ(kAttention.cost(all), (Cost{.matrix_flops = 4 * 24 * 5 * 6,
                                        .vector_flops = 24 * (4 * 5 + 4 + 6 + 2),
                                        .bytes_read = 2 * 6 * 6 * (4 + 2 * 5),
                                        .bytes_written = 2 * 6 * 6 * 4 + 4 * 24}));
  // 2 + 3 + 4 + 5 of 20 pairs.
  const OpCall causal = make_call(kAttention, Dims{2, 3, 4, 5, 6}, Dtype::Float16, Attributes{1});
  EXPECT_EQ(kAttention.cost(causal).matrix_flops, 4 * 6 * 14 * 6);
}

TEST(Attention, ItsBackwardCostsFiveProducts) {
  const OpCall all =
      make_call(kAttentionBackward, Dims{2, 3, 4, 5, 6}, Dtype::Float32, Attributes{0});
  EXPECT_EQ(kAttentionBackward.cost(all), (Cost{.matrix_flops = 10 * 24 * 5 * 6,
                                                .vector_flops = 24 * (6 * 5 + 2 * 6),
                                                .bytes_read = 4 * (36 * (3 * 4 + 2 * 5) + 24),
                                                .bytes_written = 4 * 36 * (4 + 2 * 5)}));
}

TEST(Attention, OfOneTensorCostsWhatItCostsOfThree) {
  const OpCall one = make_call(kAttentionQkv, Dims{2, 7, 3, 6}, Dtype::Float32, Attributes{1});
  const OpCall three = make_call(kAttention, Dims{2, 3, 7, 7, 6}, Dtype::Float32, Attributes{1});
  EXPECT_EQ(kAttentionQkv.cost(one), kAttention.cost(three));
}

TEST(Attention, VjpTakesTheResultsThatTheForwardPassLeft) {
  Trace trace = single_op("attention", kSizes, Dtype::Float32, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{
      trace.add_tensor({"dy", Shape{2, 4, 3, 6}, Dtype::Float32, Role::Input}), kNoTensor};
  EXPECT_EQ(kAttention.vjp(trace, forward, cotangents).size(), 3U);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].inputs[3], forward.outputs[0]);
  EXPECT_EQ(trace.calls()[1].inputs[4], forward.outputs[1]);
}

TEST(Attention, VjpOfOneTensorIsOneGradient) {
  const Trace trace =
      single_op("attention_qkv", {{"batch", 2}, {"tokens", 4}, {"heads", 3}, {"head_dim", 6}},
                Dtype::BFloat16, {}, true);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[0].op->name, "attention_qkv");
  EXPECT_EQ(trace.calls()[1].op->name, "attention_qkv_backward");
  ASSERT_EQ(trace.results().size(), 1U);
  EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].shape, (Shape{2, 4, 3, 3, 6}));
}

TEST(Attention, HeadsWithoutElementsAreRefused) {
  EXPECT_THROW(make_call(kAttention, Dims{1, 1, 1, 1, 0}, Dtype::Float32, Attributes{}),
               ShapeError);
  EXPECT_THROW(make_call(kAttentionQkv, Dims{1, 1, 1, 0}, Dtype::Float32, Attributes{}),
               ShapeError);
}

TEST(Attention, TokensWhoseSquareIsNoNumberAreRefused) {
  const std::int64_t many = std::int64_t{1} << 28;
  EXPECT_THROW(make_call(kAttentionQkv, Dims{1, many, 1, 64}, Dtype::Float32, Attributes{}),
               ShapeError);
}

}  // namespace
}  // namespace siliconprof
