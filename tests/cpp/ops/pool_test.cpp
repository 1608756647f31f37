#include "siliconprof/ops/pool.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Pool, TheLargestOfFourTakesThreeComparisons) {
  const OpCall call = make_call(kMaxPool2d, Dims{2, 6, 5, 3, 2}, Dtype::Float16, {});
  const std::int64_t y = 2 * 3 * 2 * 3;
  EXPECT_EQ(kMaxPool2d.cost(call), (Cost{.vector_flops = 3 * y,
                                         .bytes_read = 4 * y * 2,  // the fifth column is left out
                                         .bytes_written = y * (2 + 4)}));
  const Signature signature = kMaxPool2d.signature(call);
  EXPECT_EQ(signature.outputs[0].shape, (Shape{2, 3, 2, 3}));
  EXPECT_EQ(signature.outputs[1].dtype, Dtype::Int32);
  EXPECT_EQ(signature.outputs[1].index_limit, 30);
}

TEST(Pool, AMeanTakesASumOfEachElementAndOneQuotient) {
  const OpCall call = make_call(kAvgPool2d, Dims{1, 4, 4, 1, 4}, Dtype::Float32, {});
  EXPECT_EQ(kAvgPool2d.cost(call),
            (Cost{.vector_flops = 17, .bytes_read = 64, .bytes_written = 4}));
}

TEST(Pool, VjpOfTheLargestFollowsThePositionsThatTheForwardPassLeft) {
  Trace trace = single_op(
      "max_pool2d", {{"batch", 1}, {"height", 4}, {"width", 4}, {"channels", 2}, {"kernel", 2}},
      Dtype::Float32, {}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{
      trace.add_tensor({"dy", Shape{1, 2, 2, 2}, Dtype::Float32, Role::Input}), kNoTensor};
  kMaxPool2d.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].op->name, "max_pool2d_backward");
  EXPECT_EQ(trace.calls()[1].inputs[0], forward.outputs[1]);
}

std::string message_of(const Dims& dims, const std::vector<double>& attributes) {
  try {
    make_call(kMaxPool2d, dims, Dtype::Float32, attributes);
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Pool, RefusesWindowsOfPaddingAlone) {
  EXPECT_EQ(message_of({1, 0, 4, 1, 2}, {2, 1}), "[max_pool2d] height is 0; needed: at least 1");
  EXPECT_EQ(message_of({1, 4, 0, 1, 2}, {2, 1}), "[max_pool2d] width is 0; needed: at least 1");
  EXPECT_EQ(message_of({1, 4, 4, 1, 3}, {2, 2}),
            "[max_pool2d] padding is 2; needed: at most half the kernel");
  EXPECT_EQ(message_of({1, 65536, 65536, 1, 2}, {}),
            "[max_pool2d] height·width is 4294967296; needed: what an int32 position can name");
}

}  // namespace
}  // namespace siliconprof
