#include "siliconprof/ops/cross_entropy.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(CrossEntropy, CostsFourFlopsAnElementAndThreeARow) {
  const std::array<std::int64_t, 2> dims{2, 10};
  EXPECT_EQ(kCrossEntropy.cost(make_call(kCrossEntropy, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 43 + 1, .bytes_read = 40 + 8, .bytes_written = 4 + 8}));
  EXPECT_EQ(kCrossEntropyBackward.cost(make_call(kCrossEntropyBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 31 + 1, .bytes_read = 40 + 8 + 12, .bytes_written = 40}));
}

TEST(CrossEntropy, ItsGradientMayReplaceTheLogitsAndTargetsHaveNone) {
  Trace trace = single_op("cross_entropy", {{"rows", 2}, {"v", 10}}, Dtype::Float16, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{trace.add_tensor({"dloss", Shape{1}, Dtype::Float32, Role::Input}),
                              kNoTensor};
  const std::vector<TensorId> gradients = kCrossEntropy.vjp(trace, forward, cotangents);
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_EQ(gradients[1], kNoTensor);
  OpCall again = trace.calls()[1];
  EXPECT_EQ(again.inputs[2], forward.outputs[1]);
  again.outputs[0] = again.inputs[0];
  EXPECT_NO_THROW(trace.append(again));
}

TEST(CrossEntropy, ARowNeedsAClass) {
  try {
    make_call(kCrossEntropy, std::array<std::int64_t, 2>{3, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[cross_entropy] v is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
