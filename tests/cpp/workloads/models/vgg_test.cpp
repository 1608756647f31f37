#include "siliconprof/workloads/models/vgg.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/catalogue.h"
#include "siliconprof/workloads/passes/differentiate.h"

namespace siliconprof {
namespace {

TEST(Vgg16, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(forward_trace(find_model("vgg16"), {}).parameters(), 138357544);
  EXPECT_EQ(forward_trace(find_model("vgg16-bn"), {}).parameters(), 138365992);
}

// The published 15.47 billion multiply-adds count those with the zeros of the padding too.
TEST(Vgg16, ItsProductsAreThePublishedOnesWithoutThePadding) {
  struct Layer {
    std::int64_t size, in, out;
  };
  const std::vector<Layer> layers{{224, 3, 64},   {224, 64, 64},  {112, 64, 128}, {112, 128, 128},
                                  {56, 128, 256}, {56, 256, 256}, {56, 256, 256}, {28, 256, 512},
                                  {28, 512, 512}, {28, 512, 512}, {14, 512, 512}, {14, 512, 512},
                                  {14, 512, 512}};
  const std::int64_t linear = 25088 * 4096 + 4096 * 4096 + 4096 * 1000;
  std::int64_t products = linear;
  std::int64_t with_padding = linear;
  for (const auto& [size, in, out] : layers) {
    products += in * out * (3 * size - 2) * (3 * size - 2);
    with_padding += in * out * 9 * size * size;
  }
  EXPECT_NEAR(double(with_padding), 15.47e9, 0.005e9);
  const Trace trace = forward_trace(find_model("vgg16"), {{"batch", 1}});
  EXPECT_EQ(trace.cost().matrix_flops, 2 * products);
}

TEST(Vgg16, EveryParameterGetsAGradient) {
  for (const char* id : {"vgg16", "vgg16-bn"}) {
    const Trace trace = differentiate(forward_trace(find_model(id), {}));
    EXPECT_EQ(trace.gradients().size(), id[5] == '\0' ? 32U : 58U) << id;
  }
}

TEST(Vgg16, TakesLargerImagesInStepsOf224) {
  EXPECT_EQ(forward_trace(find_model("vgg16"), {{"image", 448}}).parameters(), 138357544);
  EXPECT_THROW(forward_trace(find_model("vgg16"), {{"image", 256}}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
