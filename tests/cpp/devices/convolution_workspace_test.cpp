#include "siliconprof/devices/convolution_workspace.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

std::int64_t bytes(std::string_view op, std::int64_t batch, std::int64_t length,
                   std::int64_t channels, Dtype dtype) {
  const std::array<std::int64_t, 7> dims{batch, length, length, channels, channels, 3, 3};
  return convolution_workspace_bytes(make_call(find_op(op), dims, dtype, {{1.0, 1.0}}));
}

std::int64_t strided(std::string_view op, std::int64_t batch, std::int64_t length,
                     std::int64_t channels, std::int64_t kernel, Dtype dtype) {
  const std::array<std::int64_t, 7> dims{batch,        length, length, channels,
                                         2 * channels, kernel, kernel};
  const double padding = kernel == 3 ? 1.0 : 0.0;
  return convolution_workspace_bytes(make_call(find_op(op), dims, dtype, {{2.0, padding}}));
}

// Numbers were measured on an H200 (record h200_ops).
TEST(ConvolutionWorkspace, IsOfChannelsLastForTheTensorCores) {
  EXPECT_EQ(bytes("conv2d", 64, 8, 256, Dtype::Float16), 2 * (2 * 64 * 64 * 256 + 9 * 256 * 256));
  EXPECT_EQ(bytes("conv2d", 64, 32, 3, Dtype::Float16), 0);
}

TEST(ConvolutionWorkspace, IsOfTransformsInFloat32) {
  EXPECT_NEAR(double(bytes("conv2d", 32, 32, 64, Dtype::Float32)), 207765504, 2e5);
  EXPECT_EQ(bytes("conv2d", 22, 32, 64, Dtype::Float32), 0);
  EXPECT_EQ(bytes("conv2d", 112, 32, 64, Dtype::Float32), 0);
  EXPECT_NEAR(double(bytes("conv2d", 224, 4, 512, Dtype::Float32)), 877658112, 1e6);
  EXPECT_EQ(bytes("conv2d", 216, 4, 512, Dtype::Float32), 0);
  EXPECT_NEAR(double(bytes("conv2d", 48, 32, 64, Dtype::Float32)), 242370560, 2e5);
  EXPECT_NEAR(double(bytes("conv2d", 64, 32, 64, Dtype::Float32)), 276971520, 2e5);
  EXPECT_EQ(bytes("conv2d", 16, 32, 64, Dtype::Float32), 0);
  EXPECT_NEAR(double(bytes("conv2d", 96, 16, 128, Dtype::Float32)), 250150912, 6e5);
  EXPECT_NEAR(double(bytes("conv2d", 128, 16, 128, Dtype::Float32)), 285802496, 6e5);
  EXPECT_NEAR(double(bytes("conv2d", 1024, 8, 256, Dtype::Float32)), 757334016, 2e6);
  EXPECT_NEAR(double(bytes("conv2d_data_backward", 64, 32, 64, Dtype::Float32)), 89128960, 5e3);
  EXPECT_EQ(bytes("conv2d_data_backward", 64, 8, 256, Dtype::Float32), 0);
  EXPECT_EQ(bytes("conv2d_data_backward", 8, 32, 64, Dtype::Float32), 0);
  EXPECT_NEAR(double(bytes("conv2d_data_backward", 768, 8, 256, Dtype::Float32)), 1996488704, 1e6);
  EXPECT_NEAR(double(bytes("conv2d_weight_backward", 64, 8, 256, Dtype::Float32)), 28311552, 5e3);
  EXPECT_EQ(bytes("conv2d_weight_backward", 8, 4, 512, Dtype::Float32), 0);
}

TEST(ConvolutionWorkspace, OfOtherSidesIsTheTransformThatAnImageFitsIn) {
  // 28 places and what a window reaches over fit in 32: 32 x 17 complex numbers a plane.
  EXPECT_EQ(bytes("conv2d", 32, 28, 512, Dtype::Float32),
            std::int64_t{8} * 32 * 17 * (32 * 2 * 512 + 2 * 512 * 512));
  EXPECT_EQ(bytes("conv2d", 128, 14, 256, Dtype::Float32),
            8 * 16 * 9 * (128 * 2 * 256 + 2 * 256 * 256));
  EXPECT_EQ(bytes("conv2d", 128, 56, 256, Dtype::Float32), 0);
  EXPECT_EQ(bytes("conv2d", 128, 28, 64, Dtype::Float32), 0);
  EXPECT_EQ(bytes("conv2d", 16, 14, 256, Dtype::Float32), 0);
}

TEST(ConvolutionWorkspace, OfAWeightsGradientHasTheSumsOfItsParts) {
  constexpr auto kWeight = "conv2d_weight_backward";
  // 14 parts of 9 tiles, 3 of 36, each of all weights.
  EXPECT_EQ(bytes(kWeight, 256, 32, 64, Dtype::Tf32), 4 * (2 * 256 * 1024 * 64 + 15 * 9 * 64 * 64));
  EXPECT_NEAR(double(bytes(kWeight, 256, 32, 64, Dtype::Tf32)), 136430592, 2e3);
  EXPECT_NEAR(double(bytes(kWeight, 256, 16, 128, Dtype::Tf32)), 75957248, 2e3);
  EXPECT_NEAR(double(bytes(kWeight, 64, 8, 256, Dtype::Tf32)), 17826816, 2e3);
  EXPECT_NEAR(double(bytes(kWeight, 256, 8, 256, Dtype::Float16)), 25035776, 2e3);
}

TEST(ConvolutionWorkspace, OfWindowsApartIsOfWhatIsCopied) {
  EXPECT_EQ(strided("conv2d", 256, 32, 64, 1, Dtype::Tf32), 0);
  EXPECT_EQ(strided("conv2d_data_backward", 256, 32, 64, 1, Dtype::Tf32), 0);
  EXPECT_EQ(strided("conv2d", 256, 32, 64, 1, Dtype::Float16), 0);
  EXPECT_GT(strided("conv2d_data_backward", 256, 32, 64, 1, Dtype::Float16), 0);
  EXPECT_NEAR(double(strided("conv2d_weight_backward", 1024, 8, 256, 3, Dtype::Float32)), 105382400,
              1e3);
  EXPECT_NEAR(double(strided("conv2d_weight_backward", 1024, 8, 256, 1, Dtype::Float32)), 100663296,
              1e3);
  EXPECT_NEAR(double(strided("conv2d_weight_backward", 64, 16, 128, 3, Dtype::Float32)), 13763584,
              1e4);
  EXPECT_EQ(strided("conv2d_weight_backward", 256, 16, 128, 3, Dtype::Float32), 0);
  EXPECT_EQ(strided("conv2d_weight_backward", 8, 8, 256, 3, Dtype::Float32), 0);
  EXPECT_EQ(strided("conv2d_weight_backward", 1024, 32, 64, 3, Dtype::Float32), 0);
}

TEST(ConvolutionWorkspace, OfNothingIsNoMoreThanOfSomething) {
  for (const char* op : {"conv2d", "conv2d_data_backward", "conv2d_weight_backward"}) {
    for (const Dtype dtype : {Dtype::Float32, Dtype::Tf32, Dtype::Float16}) {
      const auto bytes = [&](const std::array<std::int64_t, 7>& dims) {
        return convolution_workspace_bytes(make_call(find_op(op), dims, dtype, {}));
      };
      const std::int64_t some = bytes({1, 8, 8, 8, 8, 3, 3});
      for (const std::size_t zero : {0, 3, 4}) {  // images, channels, outputs
        std::array<std::int64_t, 7> dims{1, 8, 8, 8, 8, 3, 3};
        dims[zero] = 0;
        EXPECT_LE(bytes(dims), some) << op << " " << zero;
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof
