#include "siliconprof/devices/fourier_convolution.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

/// One core, no losses: 1 TFLOP/s.
constexpr ProductUnit kProduct{.peak_flops_per_s = 1e12, .bytes_per_s = 1e15, .cores = 1};

/// 3 x 3 windows at each of side x side places.
Convolution windows(std::int64_t batch, std::int64_t channels, std::int64_t outputs,
                    std::int64_t side, std::int64_t stride = 1) {
  const WindowAxis axis{side, 3, stride, 1};
  return {batch, channels, outputs, axis, axis};
}

constexpr FourierWay kWay{16, 4096.0, 1e6, 4.0, 1e6, 64.0, 64.0, 1.0};

TEST(FourierConvolution, IsAProductForEachFrequencyAndItsTransforms) {
  // 16 x 9 frequencies, each 64 images by 64 channels by 64 outputs: one tile of the unit's.
  const auto time = fourier_time(windows(64, 64, 64, 14), false, kWay, kProduct, 1e12);
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->product_s, 4.0 * 144 * 2.0 * 64 * 64 * 64 / 1e12, 1e-12);
  // Complex numbers, written and read: of 64 images' data and results, and of weights.
  const double transformed = 2.0 * 144 * (64 * 128 + 64 * 64);
  const double plain = 64.0 * 196 * 128 + 64 * 64 * 9;
  EXPECT_NEAR(time->transform_s, 4.0 * (2.0 * transformed + plain) / 1e12, 1e-15);
}

TEST(FourierConvolution, WorkIsTimesTheProducts) {
  FourierWay slow = kWay;
  slow.work = 2.0;
  const Convolution c = windows(64, 64, 64, 14);
  EXPECT_NEAR(fourier_time(c, false, slow, kProduct, 1e12).value().product_s,
              2.0 * fourier_time(c, false, kWay, kProduct, 1e12).value().product_s, 1e-15);
}

TEST(FourierConvolution, IsTakenAtItsSizesAlone) {
  const auto taken = [](const Convolution& c, const FourierWay& way) {
    return fourier_time(c, false, way, kProduct, 1e12).has_value();
  };
  EXPECT_TRUE(taken(windows(4, 64, 64, 4), kWay));      // 4096 elements
  EXPECT_FALSE(taken(windows(3, 64, 64, 4), kWay));     // fewer
  EXPECT_FALSE(taken(windows(1000, 64, 64, 4), kWay));  // more than a million
  EXPECT_FALSE(taken(windows(8, 64, 64, 3), kWay));     // a shorter side
  EXPECT_TRUE(taken(windows(8, 64, 64, 14), kWay));
  FourierWay many = kWay;
  many.images = 8.0;
  EXPECT_TRUE(taken(windows(8, 64, 64, 14), many));
  EXPECT_FALSE(taken(windows(7, 64, 64, 14), many));  // fewer images
  FourierWay low = kWay;
  low.most_side = 13.0;
  EXPECT_FALSE(taken(windows(8, 64, 64, 14), low));     // a longer one
  EXPECT_FALSE(taken(windows(8, 64, 64, 15), kWay));    // 17 places with what a window reaches over
  EXPECT_FALSE(taken(windows(8, 32, 64, 8), kWay));     // fewer channels
  EXPECT_FALSE(taken(windows(8, 65, 65, 8), kWay));     // more
  EXPECT_FALSE(taken(windows(8, 64, 64, 8, 2), kWay));  // windows apart
  EXPECT_FALSE(taken(windows(8, 64, 64, 8), {}));
}

TEST(FourierConvolution, CutsLargeImagesWhereItDoes) {
  FourierWay cutting = kWay;
  cutting.cuts = true;
  cutting.most_elements = 1e9;
  // Tiles of 14 x 14 results: 28 places are two of them along each axis, 29 are three.
  const auto product_s = [&](std::int64_t batch, std::int64_t side) {
    const Convolution c = windows(batch, 64, 64, side);
    return fourier_time(c, false, cutting, kProduct, 1e12).value().product_s;
  };
  EXPECT_NEAR(product_s(16, 28), product_s(64, 14), 1e-15);
  EXPECT_NEAR(product_s(64, 29), 9.0 * product_s(64, 14), 1e-12);
}

TEST(FourierConvolution, AGradientsResultIsTheData) {
  const FourierWay way{16, 4096.0, 8191.0, 4.0, 1e6, 64.0, 128.0, 1.0};
  const Convolution c = windows(4, 64, 128, 4);  // results of 8192 elements, data of half as many
  EXPECT_FALSE(fourier_time(c, false, way, kProduct, 1e12));
  const auto time = fourier_time(c, true, way, kProduct, 1e12);
  ASSERT_TRUE(time);
  const auto turned = fourier_time(windows(4, 128, 64, 4), false, way, kProduct, 1e12);
  ASSERT_TRUE(turned);
  EXPECT_EQ(time->product_s, turned->product_s);
  EXPECT_EQ(time->transform_s, turned->transform_s);
}

}  // namespace
}  // namespace siliconprof
