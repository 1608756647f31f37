#include "siliconprof/ops/group_norm.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(GroupNorm, CostsAsMuchAsLayerNormOnARowForEachGroup) {
  const std::array<std::int64_t, 4> dims{2, 3, 5, 2};
  EXPECT_EQ(kGroupNorm.cost(make_call(kGroupNorm, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 6 * 75, .bytes_read = 120 + 60, .bytes_written = 120 + 48}));
  EXPECT_EQ(
      kGroupNormBackward.cost(make_call(kGroupNormBackward, dims, Dtype::Float16, {})),
      (Cost{.vector_flops = 6 * 132, .bytes_read = 240 + 30 + 48, .bytes_written = 120 + 60}));
}

TEST(GroupNorm, ItsGradientTakesTheKeptStatistics) {
  Trace trace =
      single_op("group_norm", {{"batch", 2}, {"groups", 3}, {"channels", 5}, {"inner", 2}},
                Dtype::BFloat16, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{
      trace.add_tensor({"dy", trace.tensors()[0].shape, Dtype::BFloat16, Role::Input}), kNoTensor,
      kNoTensor};
  const std::vector<TensorId> gradients = kGroupNorm.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].op, &kGroupNormBackward);
  EXPECT_EQ(trace.calls()[1].inputs[2], forward.outputs[1]);
  EXPECT_EQ(trace.calls()[1].inputs[3], forward.outputs[2]);
  EXPECT_EQ(trace.tensors()[std::size_t(forward.outputs[1])].dtype, Dtype::Float32);
  ASSERT_EQ(gradients.size(), 3U);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_EQ(trace.tensors()[std::size_t(gradients[i])].shape, trace.tensors()[i].shape);
  }
}

TEST(GroupNorm, AGroupNeedsAnElement) {
  try {
    make_call(kGroupNorm, std::array<std::int64_t, 4>{3, 1, 1, 0}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[group_norm] inner is 0; needed: at least 1");
  }
}

}  // namespace
}  // namespace siliconprof
