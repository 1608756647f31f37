#include "siliconprof/ops/activations.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

const std::vector<const Op*> kForward{&kRelu,     &kLeakyRelu, &kSelu,     &kSigmoid,
                                      &kSoftplus, &kGeluErf,   &kGeluTanh, &kSilu};
const std::vector<const Op*> kBackward{&kReluBackward,     &kLeakyReluBackward, &kSeluBackward,
                                       &kSigmoidBackward,  &kSoftplusBackward,  &kGeluErfBackward,
                                       &kGeluTanhBackward, &kSiluBackward};

TEST(Activations, ReadAndWriteEachElementOnce) {
  const std::vector<std::int64_t> seven{7};
  for (std::size_t i = 0; i < kForward.size(); ++i) {
    const Cost cost = kForward[i]->cost(make_call(*kForward[i], seven, Dtype::Float16, {}));
    const Cost back = kBackward[i]->cost(make_call(*kBackward[i], seven, Dtype::Float16, {}));
    EXPECT_EQ(cost.bytes_read, 14) << kForward[i]->name;
    EXPECT_EQ(back.bytes_read, 28) << kBackward[i]->name;
    EXPECT_EQ(cost.bytes_written, 14) << kForward[i]->name;
    EXPECT_EQ(back.bytes_written, 14) << kBackward[i]->name;
    EXPECT_EQ(cost.matrix_flops + back.matrix_flops, 0) << kForward[i]->name;
  }
  EXPECT_EQ(kRelu.cost(make_call(kRelu, seven, Dtype::Float32, {})).vector_flops, 7);
}

TEST(Activations, AreDifferentiatedByTheirBackwardOpWithTheSameAttributes) {
  for (std::size_t i = 0; i < kForward.size(); ++i) {
    const Trace trace = single_op(kForward[i]->name, {{"n", 7}}, Dtype::Float16, {}, true);
    ASSERT_EQ(trace.calls().size(), 1U) << kForward[i]->name;
    EXPECT_EQ(trace.calls()[0].op, kBackward[i]);
    EXPECT_EQ(trace.calls()[0].phase, Phase::Backward);
  }
  const Trace trace =
      single_op("softplus", {{"n", 7}}, Dtype::Float32, {{"beta", 3.0}, {"threshold", 4.0}}, true);
  EXPECT_EQ(trace.calls()[0].attributes[0], 3.0);
  EXPECT_EQ(trace.calls()[0].attributes[1], 4.0);
}

TEST(Activations, TheirBackwardOpsAreNotDifferentiatedAgain) {
  for (const Op* op : kBackward) {
    try {
      single_op(op->name, {{"n", 7}}, Dtype::Float32, {}, true);
      FAIL() << "no error";
    } catch (const ArgumentError& error) {
      EXPECT_EQ(std::string(error.what()),
                "[" + std::string(op->name) +
                    "] has no vector-Jacobian rule; needed: an op that can be differentiated");
    }
  }
}

}  // namespace
}  // namespace siliconprof
