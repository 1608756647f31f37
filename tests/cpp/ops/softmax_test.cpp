#include "siliconprof/ops/softmax.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

const std::map<std::string, std::int64_t> kSizes{{"outer", 2}, {"size", 3}, {"inner", 5}};

TEST(Softmax, CostsFourteenFlopsForThreeTerms) {
  // 2 comparisons, then 3 differences, exponentials, sums and quotients.
  const OpCall call = make_call(kSoftmax, std::vector<std::int64_t>{2, 3, 5}, Dtype::Float16, {});
  EXPECT_EQ(kSoftmax.cost(call),
            (Cost{.vector_flops = 10 * 14, .bytes_read = 60, .bytes_written = 60}));
  const OpCall backward =
      make_call(kSoftmaxBackward, std::vector<std::int64_t>{2, 3, 5}, Dtype::Float16, {});
  EXPECT_EQ(kSoftmaxBackward.cost(backward),
            (Cost{.vector_flops = 10 * 12, .bytes_read = 120, .bytes_written = 60}));
}

TEST(Softmax, VjpAloneComputesTheResultAgain) {
  const Trace trace = single_op("softmax", kSizes, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[0].op->name, "softmax");
  EXPECT_EQ(trace.calls()[0].phase, Phase::Backward);
  EXPECT_EQ(trace.calls()[1].op->name, "softmax_backward");
}

TEST(Softmax, VjpTakesTheResultThatTheForwardPassLeft) {
  Trace trace = single_op("softmax", kSizes, Dtype::Float32, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{
      trace.add_tensor({"dy", Shape{2, 3, 5}, Dtype::Float32, Role::Input})};
  kSoftmax.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].inputs[0], forward.outputs[0]);
}

TEST(Softmax, ItsBackwardHasNoRuleAndSaysSo) {
  try {
    single_op("softmax_backward", kSizes, Dtype::Float32, {}, true);
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "[softmax_backward] has no vector-Jacobian rule; needed: an op that can be "
                 "differentiated");
  }
}

}  // namespace
}  // namespace siliconprof
