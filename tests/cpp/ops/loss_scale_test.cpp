#include "siliconprof/ops/loss_scale.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Unscale, CostsThreeFlopsAnElementAndTheReciprocal) {
  const OpCall call = make_call(kUnscale, std::vector<std::int64_t>{7}, Dtype::Float16, {});
  EXPECT_EQ(kUnscale.cost(call), (Cost{.vector_flops = 22, .bytes_read = 22, .bytes_written = 18}));
}

TEST(UpdateScale, HasNoDimsAndScalesOfOneElement) {
  const Trace trace = single_op("update_scale", {}, Dtype::Float16, {}, false);
  EXPECT_EQ(trace.cost(), (Cost{.vector_flops = 7, .bytes_read = 12, .bytes_written = 8}));
  for (const TensorInfo& tensor : trace.tensors()) {
    EXPECT_EQ(tensor.shape, Shape{1});
    EXPECT_EQ(tensor.dtype, Dtype::Float32);
  }
}

}  // namespace
}  // namespace siliconprof
