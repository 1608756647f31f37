#include "siliconprof/workloads/models/resnet.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/catalogue.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Sizes tiny(bool bottleneck) {
  return {{"batch", 2},   {"image", 8},   {"channels", 2}, {"bottleneck", bottleneck},
          {"blocks1", 1}, {"blocks2", 1}, {"blocks3", 1},  {"blocks4", 1}};
}

TEST(Resnet, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(forward_trace(find_model("resnet18"), {}).parameters(), 11689512);
  EXPECT_EQ(forward_trace(find_model("resnet50"), {}).parameters(), 25557032);
}

// The CIFAR form of ResNet-18 without its classifier has 11,168,832.
TEST(Simclr, HasTheBackboneOfCifarAndAProjectionHead) {
  const std::int64_t head = 512 * 512 + 2 * 512 + 512 * 128 + 2 * 128;
  EXPECT_EQ(forward_trace(find_model("simclr-resnet18"), {}).parameters(), 11168832 + head);
}

// 1.81 billion multiply-adds: the figure of the published models, which leaves norms out.
TEST(Resnet, ItsProductsAreThePublishedOnes) {
  const Trace trace = forward_trace(find_model("resnet18"), {{"batch", 1}});
  EXPECT_NEAR(double(trace.cost().matrix_flops) / 2, 1.814e9, 0.005e9);
  const Trace deep = forward_trace(find_model("resnet50"), {{"batch", 1}});
  EXPECT_NEAR(double(deep.cost().matrix_flops) / 2, 4.09e9, 0.01e9);
}

TEST(Resnet, ItsGradientsAgreeWithCentralDifferences) {
  for (const bool bottleneck : {false, true}) {
    Sizes sizes = tiny(bottleneck);
    sizes["classes"] = 3;
    sizes["image"] = 33;
    expect_gradients_agree(forward_trace(find_model("resnet18"), sizes, Dtype::Float64), 1e-5, 1);
  }
}

TEST(Simclr, ItsGradientsAgreeWithCentralDifferences) {
  Sizes sizes = tiny(false);
  sizes["projection"] = 3;
  expect_gradients_agree(forward_trace(find_model("simclr-resnet18"), sizes, Dtype::Float64), 1e-5,
                         1);
}

}  // namespace
}  // namespace siliconprof
