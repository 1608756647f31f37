#include "siliconprof/kernels/cpu/workspaces.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

// 512 is whole vectors in any instruction set, and the gradient too large for a second sum.
constexpr std::int64_t kBytes = 512 * 512 * 3 * 3 * 4;

Trace convolution(bool vjp) {
  return single_op("conv2d",
                   {{"batch", 2},
                    {"height", 4},
                    {"width", 4},
                    {"channels", 512},
                    {"outputs", 512},
                    {"kernel_h", 3},
                    {"kernel_w", 3}},
                   Dtype::Float32, {}, vjp);
}

TEST(Workspaces, AConvolutionKeepsItsWeightsInPanels) {
  EXPECT_EQ(workspaces(convolution(false)),
            (std::vector<Workspace>{{"convolution weights in panels", kBytes}}));
}

TEST(Workspaces, ItsGradientKeepsPartialSumsToo) {
  EXPECT_EQ(workspaces(convolution(true)),
            (std::vector<Workspace>{{"convolution weights in panels", kBytes},
                                    {"partial sums of convolution weights", kBytes}}));
}

TEST(Workspaces, OtherOpsKeepNone) {
  EXPECT_TRUE(workspaces(single_op("copy", {{"n", 9}}, Dtype::Float32, {}, false)).empty());
}

}  // namespace
}  // namespace siliconprof::cpu
