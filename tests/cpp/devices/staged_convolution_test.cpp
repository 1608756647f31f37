#include "siliconprof/devices/staged_convolution.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

/// 10 images of 100 x 100 places, 3 x 3 windows at each.
Convolution made(std::int64_t channels, std::int64_t outputs) {
  const WindowAxis axis{.length = 100, .kernel = 3, .stride = 1, .padding = 1};
  return {.batch = 10, .channels = channels, .outputs = outputs, .rows = axis, .columns = axis};
}

/// One axis of 100 places.
Convolution row(std::int64_t channels, std::int64_t outputs) {
  Convolution c = made(channels, outputs);
  c.rows = {.length = 1, .kernel = 1, .stride = 1, .padding = 0};
  return c;
}

constexpr StagedUnit kArithmetic{
    .flops_per_s = 1e12, .bytes_per_s = 1e30, .staged_elements_per_s = 1e30};
constexpr StagedUnit kStaging{
    .flops_per_s = 1e30, .bytes_per_s = 1e30, .staged_elements_per_s = 1e12, .few_part = 0.5};

double product_s(const Convolution& c, const StagedUnit& unit) {
  return staged_convolution_time(c, 0.0, 4.0, unit).product_s;
}

TEST(StagedConvolution, KernelsFitFewChannelsAndOutputsOrMultiplesOf16) {
  EXPECT_TRUE(has_fitting_kernel(made(3, 16)));
  EXPECT_TRUE(has_fitting_kernel(made(32, 48)));
  EXPECT_FALSE(has_fitting_kernel(made(12, 8)));
  EXPECT_FALSE(has_fitting_kernel(made(16, 24)));
}

TEST(StagedConvolution, FillsTilesOfTheKernelThatTakesIt) {
  const double windows = 1e5;
  // Few outputs: tiles of 8. Many: 64. A kernel that nothing fits: 32, channels up to 16.
  EXPECT_DOUBLE_EQ(product_s(made(64, 5), kArithmetic), 2.0 * windows * 576 * 8 / 1e12);
  EXPECT_DOUBLE_EQ(product_s(made(64, 80), kArithmetic), 2.0 * windows * 576 * 128 / 1e12);
  EXPECT_DOUBLE_EQ(product_s(made(16, 32), kArithmetic), 2.0 * windows * 144 * 32 / 1e12);
  EXPECT_DOUBLE_EQ(product_s(made(12, 8), kArithmetic), 2.0 * windows * 144 * 32 / 1e12);
}

TEST(StagedConvolution, WithoutChannelsOrOutputsThereIsNothingToMultiply) {
  for (const WritesOut writes_out : {WritesOut::None, WritesOut::Unfit, WritesOut::All}) {
    StagedUnit unit = kStaging;
    unit.writes_out = writes_out;
    unit.written_elements_per_s = 1e12;
    const StagedTime found = staged_convolution_time(row(0, 8), 0.0, 4.0, unit);
    EXPECT_EQ(found.product_s + found.written_s, 0.0);
    EXPECT_LT(product_s(row(8, 0), unit), 1e-20);  // written out all the same
  }
}

TEST(StagedConvolution, FewChannelsFillTheDepthTogetherAndAreStagedOneByOne) {
  const double windows = 1e5;
  EXPECT_DOUBLE_EQ(product_s(made(1, 8), kStaging), windows * 16 / 0.5e12);  // 9 taps
  EXPECT_DOUBLE_EQ(product_s(made(3, 8), kStaging), windows * 48 / 0.5e12);  // 9 of 4
  EXPECT_DOUBLE_EQ(product_s(made(16, 8), kStaging), windows * 144 / 1e12);
  EXPECT_DOUBLE_EQ(product_s(made(12, 8), kStaging), windows * 144 / 0.5e12);
}

TEST(StagedConvolution, StagesWindowsAgainForEachTileOfOutputsAndThenMultiplies) {
  StagedUnit both = kArithmetic;
  both.staged_elements_per_s = 1e12;
  const double elements = 1e5 * 576;
  EXPECT_DOUBLE_EQ(product_s(made(64, 128), both), elements * (2 * 128 / 1e12 + 2 / 1e12));
}

TEST(StagedConvolution, TakesAtLeastWhatItsTrafficTakes) {
  StagedUnit unit = kArithmetic;
  unit.bytes_per_s = 1e9;
  EXPECT_DOUBLE_EQ(staged_convolution_time(made(64, 5), 8e9, 4.0, unit).product_s, 8.0);
}

TEST(StagedConvolution, WindowsWithoutAKernelAreWrittenOutByWholeVectorsOfThreads) {
  StagedUnit unit = kArithmetic;
  unit.writes_out = WritesOut::Unfit;
  unit.written_elements_per_s = 1e9;
  unit.two_axes_part = 0.5;
  // 12 channels in a group of 32 x 8: 96 threads for 8 taps, 12 for the ninth, up to 32.
  const StagedTime odd = staged_convolution_time(made(12, 8), 0.0, 4.0, unit);
  EXPECT_DOUBLE_EQ(odd.written_s, 1e5 * 128 / 0.5e9);
  EXPECT_DOUBLE_EQ(odd.product_s, 2.0 * 1e5 * 112 * 32 / 1e12);  // 1e5 x 8 elements: tiles of 32
  // 80 channels of one axis in groups of 64 x 4: 192 threads of 64, and 48 of 16, up to 64.
  const StagedTime long_row = staged_convolution_time(row(80, 1280), 0.0, 4.0, unit);
  EXPECT_DOUBLE_EQ(long_row.written_s, 1e3 * 256 / 1e9);
  EXPECT_DOUBLE_EQ(long_row.product_s, 2.0 * 1e3 * 240 * 1280 / 1e12);  // 64 divides 1280
  EXPECT_EQ(staged_convolution_time(made(64, 64), 0.0, 4.0, unit).written_s, 0.0);
  unit.writes_out = WritesOut::All;  // a copy: its threads lie in a row
  EXPECT_DOUBLE_EQ(staged_convolution_time(made(12, 8), 0.0, 4.0, unit).written_s,
                   1e5 * 108 / 0.5e9);
}

TEST(StagedConvolution, WritingOutAndMultiplyingEachTakeTheirTraffic) {
  StagedUnit unit = kArithmetic;
  unit.writes_out = WritesOut::All;
  unit.written_elements_per_s = 1e30;
  unit.bytes_per_s = 1e9;
  const StagedTime time = staged_convolution_time(made(12, 8), 0.0, 4.0, unit);
  EXPECT_DOUBLE_EQ(time.written_s, 1e5 * 108 * 4 / 1e9);
  EXPECT_DOUBLE_EQ(time.product_s, (1e5 * 108 + 1e5 * 8 + 108 * 8) * 4 / 1e9);
}

}  // namespace
}  // namespace siliconprof
