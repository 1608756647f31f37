#include "siliconprof/workloads/models/images.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

TEST(Images, KnowTheirSizesThroughConvolutionsAndPools) {
  Builder b("t", Dtype::Float32);
  const Images x = image_input(b, 2, 32);
  EXPECT_EQ(x.places(), 2 * 32 * 32);
  const Images y = relu(b, batch_norm(b, "bn", convolve(b, "conv", x, 8, {7, 2, 3})));
  EXPECT_EQ(y.height, 16);
  EXPECT_EQ(y.channels, 8);
  const Images z = max_pool(b, y, {3, 2, 1});
  EXPECT_EQ(z.width, 8);
  const Images rows = mean_pool(b, z);
  EXPECT_EQ(rows.places(), 2);
  EXPECT_EQ(b.elements(rows.id), 2 * 8);
  const TensorId loss = label_loss(b, rows.id, 2, 8);
  EXPECT_EQ(std::move(b).finish(loss).parameters(), 8 * 7 * 7 * 3 + 16);
}

}  // namespace
}  // namespace siliconprof
