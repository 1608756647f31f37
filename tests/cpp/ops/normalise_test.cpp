#include "siliconprof/ops/normalise.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Normalise, CostsThreeFlopsAnElementAndTwoARow) {
  const std::array<std::int64_t, 2> dims{2, 10};
  EXPECT_EQ(kNormalise.cost(make_call(kNormalise, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 32, .bytes_read = 40, .bytes_written = 40 + 8}));
  EXPECT_EQ(kNormaliseBackward.cost(make_call(kNormaliseBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 2 * 52, .bytes_read = 80 + 8, .bytes_written = 40}));
}

TEST(Normalise, ItsGradientTakesTheResultTheNormAndTheSameEpsilon) {
  Trace trace =
      single_op("normalise", {{"rows", 2}, {"n", 10}}, Dtype::BFloat16, {{"epsilon", 0.5}}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{trace.add_tensor({"dy", Shape{2, 10}, Dtype::BFloat16, Role::Input}),
                              kNoTensor};
  kNormalise.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].inputs[0], forward.outputs[0]);
  EXPECT_EQ(trace.calls()[1].inputs[1], forward.outputs[1]);
  EXPECT_EQ(trace.calls()[1].attributes[0], 0.5);
}

}  // namespace
}  // namespace siliconprof
