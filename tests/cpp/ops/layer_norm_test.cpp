#include "siliconprof/ops/layer_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(LayerNorm, CostsSevenFlopsAnElementAndFiveARow) {
  const std::array<std::int64_t, 2> dims{2, 10};
  EXPECT_EQ(kLayerNorm.cost(make_call(kLayerNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 75, .bytes_read = 40 + 40, .bytes_written = 40 + 16}));
  EXPECT_EQ(kLayerNormBackward.cost(make_call(kLayerNormBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 132, .bytes_read = 80 + 20 + 16, .bytes_written = 40 + 40}));
}

TEST(LayerNorm, ItsGradientTakesTheKeptStatistics) {
  Trace trace = single_op("layer_norm", {{"rows", 2}, {"n", 10}}, Dtype::BFloat16, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{
      trace.add_tensor({"dy", trace.tensors()[0].shape, Dtype::BFloat16, Role::Input}), kNoTensor,
      kNoTensor};
  const std::vector<TensorId> gradients = kLayerNorm.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].op, &kLayerNormBackward);
  EXPECT_EQ(trace.calls()[1].inputs[2], forward.outputs[1]);
  EXPECT_EQ(trace.calls()[1].inputs[3], forward.outputs[2]);
  EXPECT_EQ(trace.tensors()[std::size_t(forward.outputs[1])].dtype, Dtype::Float32);
  ASSERT_EQ(gradients.size(), 3U);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_EQ(trace.tensors()[std::size_t(gradients[i])].shape, trace.tensors()[i].shape);
  }
}

TEST(LayerNorm, ARowNeedsAnElement) {
  try {
    make_call(kLayerNorm, std::array<std::int64_t, 2>{3, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[layer_norm] n is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
