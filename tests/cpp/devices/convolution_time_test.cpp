#include "siliconprof/devices/convolution_time.h"

#include <gtest/gtest.h>

#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

/// One core, no losses: 1 TFLOP/s.
ProductUnit made_product() {
  return {.peak_flops_per_s = 1e12, .bytes_per_s = 1e15, .cores = 1, .element_bytes = 4.0};
}

// 8 x 8 places of 64 channels to 64, 1 x 1: a product of 64 x 64 x 64, one tile.
OpCall made_call(std::string_view op, double stride, Dtype dtype = Dtype::Float32) {
  const std::array<std::int64_t, 7> dims{1, 8, 8, 64, 64, 1, 1};
  const std::array<double, 2> attributes{stride, 0.0};
  return make_call(find_op(op), dims, dtype, attributes);
}

ConvolutionTime time_of(const OpCall& call, const ConvolutionUnit& unit) {
  return convolution_time(call, call.op->cost(call), made_product(), unit);
}

TEST(ConvolutionTime, IsNoShorterThanThePeaksButWhereItMayDoLess) {
  const double peak_s = 2.0 * 64 * 64 * 64 / 1e12;
  const ConvolutionUnit by_work{.work = 0.5};
  const ConvolutionUnit by_place{.pointwise = 0.5};
  for (const ConvolutionUnit& unit : {by_work, by_place}) {
    EXPECT_NEAR(time_of(made_call("conv2d", 1, Dtype::Float16), unit).product_s, peak_s, 1e-15);
    EXPECT_NEAR(time_of(made_call("conv2d", 1), unit).product_s, peak_s / 2.0, 1e-15);
  }
}

TEST(ConvolutionTime, IsThatOfItsProduct) {
  const ConvolutionTime time = time_of(made_call("conv2d", 1), {.start_s = 1e-6, .work = 2.0});
  const double product_s = 2.0 * 64 * 64 * 64 / 1e12;
  EXPECT_NEAR(time.product_s, 2.0 * product_s, 1e-15);
  EXPECT_NEAR(time.total_s(), 1e-6 + 2.0 * product_s, 1e-15);
}

TEST(ConvolutionTime, MultipliesTapsBesideTheDataToo) {
  const std::array<std::int64_t, 7> dims{1, 8, 8, 64, 64, 3, 3};
  const std::array<double, 2> padded{1.0, 1.0};  // stride, padding
  const OpCall call = make_call(find_op("conv2d"), dims, Dtype::Float32, padded);
  EXPECT_NEAR(time_of(call, {}).product_s, 2.0 * 64 * 64 * 9 * 64 / 1e12, 1e-15);
}

TEST(ConvolutionTime, OneInFourPlacesOfTheDataHasAWindowWithStrideTwo) {
  const auto at = [](double stride, double strided) {
    return time_of(made_call("conv2d_data_backward", stride), {.strided = strided});
  };
  EXPECT_NEAR(at(2, 1.0).product_s, at(1, 1.0).product_s / 4.0, 1e-15);
  EXPECT_NEAR(at(2, 3.0).product_s, at(1, 1.0).product_s * 3.0 / 4.0, 1e-15);
  EXPECT_NEAR(at(1, 3.0).product_s, at(1, 1.0).product_s, 1e-15);
}

TEST(ConvolutionTime, CopiesReadAndWriteDataResultAndWeights) {
  const ConvolutionTime time = time_of(made_call("conv2d", 1), {.copy_bytes_per_s = 1e9});
  EXPECT_NEAR(time.copy_s, 2.0 * 3 * 64 * 64 * 4 / 1e9, 1e-15);
}

// 8 outputs of 12 channels at 8 x 8 places, 1 x 1, in tiles of 32 by 16.
OpCall narrow_call() {
  const std::array<std::int64_t, 7> dims{1, 8, 8, 12, 8, 1, 1};
  const std::array<double, 2> attributes{1.0, 0.0};
  return make_call(find_op("conv2d"), dims, Dtype::Float32, attributes);
}

constexpr ConvolutionUnit kTiled{.start_s = 1e-6,
                                 .flops_per_s = 1e12,
                                 .bytes_per_s = 1e15,
                                 .outputs_tile = 32,
                                 .channels_tile = 16};

TEST(TiledConvolutionTime, FillsOutputsAndChannelsUpToWholeTiles) {
  const OpCall call = narrow_call();
  const ConvolutionTime time = tiled_convolution_time(call, call.op->cost(call), kTiled);
  EXPECT_NEAR(time.product_s, 2.0 * 64 * 32 * 16 / 1e12, 1e-18);
  EXPECT_NEAR(time.total_s(), 1e-6 + 2.0 * 64 * 32 * 16 / 1e12, 1e-15);
}

TEST(TiledConvolutionTime, MultipliesTapsBesideTheDataToo) {
  const std::array<std::int64_t, 7> dims{1, 8, 8, 16, 32, 3, 3};
  const std::array<double, 2> attributes{1.0, 1.0};  // stride, padding
  for (const char* op : {"conv2d", "conv2d_data_backward", "conv2d_weight_backward"}) {
    const OpCall call = make_call(find_op(op), dims, Dtype::Float32, attributes);
    const ConvolutionTime time = tiled_convolution_time(call, call.op->cost(call), kTiled);
    EXPECT_NEAR(time.product_s, 2.0 * 64 * 9 * 16 * 32 / 1e12, 1e-18) << op;
  }
}

TEST(TiledConvolutionTime, WindowsOfOneAxisHaveOutputsTilesOfTheirOwn) {
  const std::array<std::int64_t, 5> dims{1, 8, 16, 32, 3};
  const std::array<double, 2> attributes{1.0, 1.0};  // stride, padding
  const OpCall call = make_call(find_op("conv1d"), dims, Dtype::Float32, attributes);
  ConvolutionUnit unit = kTiled;
  unit.row_outputs_tile = 128;
  const ConvolutionTime time = tiled_convolution_time(call, call.op->cost(call), unit);
  EXPECT_NEAR(time.product_s, 2.0 * 8 * 3 * 16 * 128 / 1e12, 1e-18);
}

TEST(TiledConvolutionTime, CopiesReadAndWriteDataResultAndWeights) {
  const OpCall call = narrow_call();
  ConvolutionUnit unit = kTiled;
  unit.copy_bytes_per_s = 1e9;
  const ConvolutionTime time = tiled_convolution_time(call, call.op->cost(call), unit);
  EXPECT_NEAR(time.copy_s, 2.0 * 4.0 * (64 * 12 + 12 * 8 + 64 * 8) / 1e9, 1e-15);
}

TEST(TiledConvolutionTime, TakesAtLeastWhatItsTrafficTakes) {
  const OpCall call = narrow_call();
  ConvolutionUnit slow = kTiled;
  slow.bytes_per_s = 1e6;
  const ConvolutionTime time = tiled_convolution_time(call, call.op->cost(call), slow);
  EXPECT_NEAR(time.product_s, 4.0 * (64 * 12 + 12 * 8 + 64 * 8) / 1e6, 1e-15);
}

TEST(TiledConvolutionTime, ALibraryWithoutAnImplicitKernelWritesWindowsOut) {
  const OpCall narrow = narrow_call();
  ConvolutionUnit unfolding = kTiled;
  unfolding.unfolded_elements_per_s = 1e6;
  const ConvolutionTime time = tiled_convolution_time(narrow, narrow.op->cost(narrow), unfolding);
  EXPECT_DOUBLE_EQ(time.copy_s, 64 * 12 / 1e6);
}

TEST(TiledConvolutionTime, StagedKernelsTakeThePlaceOfTiles) {
  const OpCall narrow = narrow_call();
  ConvolutionUnit unit = kTiled;
  unit.staged = {.flops_per_s = 1e12, .bytes_per_s = 1e15, .staged_elements_per_s = 1e6};
  const Cost cost = narrow.op->cost(narrow);
  const StagedTime own =
      staged_convolution_time(convolution_of(narrow), double(cost.bytes()), 4.0, unit.staged);
  const ConvolutionTime time = tiled_convolution_time(narrow, cost, unit);
  EXPECT_DOUBLE_EQ(time.product_s, own.product_s);
  EXPECT_EQ(time.start_s, 1e-6);
}

/// 3 x 3 windows over 8 images of 4 x 4 with 64 channels, one FLOP a picosecond, a byte too.
ConvolutionTime windowed_time(std::string_view op, const FourierWay& way) {
  const std::array<std::int64_t, 7> dims{8, 4, 4, 64, 64, 3, 3};
  const std::array<double, 2> padded{1.0, 1.0};  // stride, padding
  const OpCall call = make_call(find_op(op), dims, Dtype::Float32, padded);
  ConvolutionUnit unit{.start_s = 1e-6, .work = 3.0, .transform_bytes_per_s = 1e12};
  unit.fourier[1] = way;
  return time_of(call, unit);
}

TEST(ConvolutionTime, TransformsTakeThePlaceOfTheProduct) {
  constexpr FourierWay kWay{16, 4096.0, 1e6, 4.0, 1e6, 64.0, 64.0, 2.0};
  for (const std::string_view op : {"conv2d", "conv2d_data_backward"}) {
    const std::array<std::int64_t, 7> dims{8, 4, 4, 64, 64, 3, 3};
    const OpCall call = make_call(find_op(op), dims, Dtype::Float32, {{1.0, 1.0}});
    const auto own =
        fourier_time(convolution_of(call), op != "conv2d", kWay, made_product(), 1e12).value();
    const ConvolutionTime time = windowed_time(op, kWay);
    EXPECT_EQ(time.product_s, own.product_s);
    EXPECT_EQ(time.copy_s, own.transform_s);
    EXPECT_EQ(time.start_s, 1e-6);
    EXPECT_NE(windowed_time(op, {}).product_s, time.product_s);
  }
}

/// 1 x 1 windows over 8 images of `side` a side.
ConvolutionTime pointwise_time(std::string_view op, std::int64_t side, double stride) {
  const std::array<std::int64_t, 7> dims{8, side, side, 64, 64, 1, 1};
  const OpCall call = make_call(find_op(op), dims, Dtype::Float32, {{stride, 0.0}});
  const ConvolutionUnit unit{.work = 3.0, .copy_bytes_per_s = 1e12, .pointwise = 1.5};
  return time_of(call, unit);
}

TEST(ConvolutionTime, WindowsOfOnePlaceAreNotCopiedWhereWideLoadsTakeTheirRows) {
  const double product_s = 2.0 * 8 * 16 * 64 * 64 / 1e12;
  EXPECT_NEAR(pointwise_time("conv2d", 4, 1.0).product_s, 1.5 * product_s, 1e-13);
  EXPECT_EQ(pointwise_time("conv2d", 4, 1.0).copy_s, 0.0);
  EXPECT_EQ(pointwise_time("conv2d_data_backward", 4, 1.0).copy_s, 0.0);
  EXPECT_EQ(pointwise_time("conv2d_weight_backward", 4, 1.0).copy_s, 0.0);
  // 9 places are 36 bytes, 36 places 144: whole loads of 16, not of 32. Windows apart are copied.
  EXPECT_GT(pointwise_time("conv2d", 3, 1.0).copy_s, 0.0);
  EXPECT_EQ(pointwise_time("conv2d", 6, 1.0).copy_s, 0.0);
  EXPECT_GT(pointwise_time("conv2d_weight_backward", 6, 1.0).copy_s, 0.0);
  EXPECT_GT(pointwise_time("conv2d", 4, 2.0).copy_s, 0.0);
}

/// One image, rows of 4 places, 64 channels to 64, 1 x 1.
OpCall call_of_rows(std::int64_t rows) {
  const std::array<std::int64_t, 7> dims{1, rows, 4, 64, 64, 1, 1};
  const std::array<double, 2> attributes{1.0, 0.0};
  return make_call(find_op("conv2d"), dims, Dtype::Float32, attributes);
}

TEST(ConvolutionTime, WindowsOfARowFillWholeTiles) {
  const OpCall call = call_of_rows(16);  // a tile of 64 windows, or two of twice as many
  const double usual_s = time_of(call, {}).product_s;
  EXPECT_NEAR(time_of(call, {.columns_tile = 8}).product_s, 2.0 * usual_s, 1e-15);
}

TEST(ConvolutionTime, WindowsThatFillTheProductsTileTakeNoLongerTogether) {
  const OpCall call = call_of_rows(8);  // 32 windows, filled to 64: one tile either way
  EXPECT_EQ(time_of(call, {.columns_tile = 8}).product_s, time_of(call, {}).product_s);
}

TEST(ConvolutionTime, PlacesTakenWhereTheyLieAreNotFilledByRows) {
  const OpCall call = call_of_rows(16);
  EXPECT_EQ(time_of(call, {.columns_tile = 8, .pointwise = 1.0}).product_s,
            time_of(call, {.pointwise = 1.0}).product_s);
}

TEST(ConvolutionTime, WinogradsGradientOfWeightsIs36ProductsAlongThePatches) {
  // 8 images of 4 x 4: 8 patches, each of 64 x 64 products at 36 points, one tile after the other.
  const std::array<std::int64_t, 7> dims{8, 4, 4, 64, 64, 3, 3};
  const std::array<double, 2> padded{1.0, 1.0};
  const OpCall call = make_call(find_op("conv2d_weight_backward"), dims, Dtype::Float32, padded);
  const ConvolutionUnit unit{.start_s = 1e-6, .winograd = 2.0, .transform_bytes_per_s = 1e12};
  const ConvolutionTime time = time_of(call, unit);
  EXPECT_NEAR(time.product_s, 2.0 * 36 * 2.0 * 64 * 64 * 8 / 1e12, 1e-12);
  // Read: 8 images of 16 places of 64 channels, twice; written: 36 points of each patch, twice.
  EXPECT_NEAR(time.copy_s, 4.0 * (2 * 8 * 16 * 64 + 2 * 36 * 8 * 64) / 1e12, 1e-15);
  const std::array<std::int64_t, 7> empty{0, 4, 4, 64, 64, 3, 3};
  const OpCall none = make_call(find_op("conv2d_weight_backward"), empty, Dtype::Float32, padded);
  EXPECT_EQ(time_of(none, unit).total_s(), 0.0);
}

TEST(ConvolutionTime, GradientsOfWeightsAreNotTransformed) {
  constexpr FourierWay kWay{16, 4096.0, 1e6, 4.0, 1e6, 64.0, 64.0, 1.0};
  EXPECT_EQ(windowed_time("conv2d_weight_backward", kWay).product_s,
            windowed_time("conv2d_weight_backward", {}).product_s);
}

}  // namespace
}  // namespace siliconprof
