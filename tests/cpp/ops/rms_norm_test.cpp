#include "siliconprof/ops/rms_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(RmsNorm, CostsFourFlopsAnElementAndFourARow) {
  const std::array<std::int64_t, 2> dims{2, 10};
  EXPECT_EQ(kRmsNorm.cost(make_call(kRmsNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 44, .bytes_read = 40 + 20, .bytes_written = 40 + 8}));
  EXPECT_EQ(kRmsNormBackward.cost(make_call(kRmsNormBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 91, .bytes_read = 80 + 20 + 8, .bytes_written = 40 + 20}));
}

TEST(RmsNorm, ItsGradientTakesTheKeptStatistics) {
  Trace trace = single_op("rms_norm", {{"rows", 2}, {"n", 10}}, Dtype::BFloat16, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{
      trace.add_tensor({"dy", trace.tensors()[0].shape, Dtype::BFloat16, Role::Input}), kNoTensor,
      kNoTensor};
  const std::vector<TensorId> gradients = kRmsNorm.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].op, &kRmsNormBackward);
  EXPECT_EQ(trace.calls()[1].inputs[2], forward.outputs[1]);
  EXPECT_EQ(trace.tensors()[std::size_t(forward.outputs[1])].dtype, Dtype::Float32);
  ASSERT_EQ(gradients.size(), 2U);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_EQ(trace.tensors()[std::size_t(gradients[i])].shape, trace.tensors()[i].shape);
  }
}

TEST(RmsNorm, ARowNeedsAnElement) {
  try {
    make_call(kRmsNorm, std::array<std::int64_t, 2>{3, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[rms_norm] n is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
