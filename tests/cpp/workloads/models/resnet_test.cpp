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

// The published 1.81 and 4.09 billion multiply-adds count those with the zeros of the padding too.
TEST(Resnet, ItsProductsAreThePublishedOnesButForThePadding) {
  const auto products = [](const char* id) {
    return double(forward_trace(find_model(id), {{"batch", 1}}).cost().matrix_flops) / 2;
  };
  EXPECT_LT(products("resnet18"), 1.814e9);
  EXPECT_GT(products("resnet18"), 1.814e9 * 0.92);
  EXPECT_LT(products("resnet50"), 4.09e9);
  EXPECT_GT(products("resnet50"), 4.09e9 * 0.96);
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
