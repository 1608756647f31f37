#include "siliconprof/kernels/cpu/winograd.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/winograd_kernels.h"

namespace siliconprof::cpu {
namespace {

OpCall call_of(const char* op, const std::vector<std::int64_t>& dims, double padding) {
  return make_call(find_op(op), dims, Dtype::Float32, std::vector<double>{1.0, padding});
}

/// Whole numbers: every sum is exact, in whatever way it is formed.
std::vector<Values> whole_operands(const OpCall& call) {
  std::vector<Values> in;
  for (const Slot& slot : call.op->signature(call).inputs) {
    Values& values = in.emplace_back();
    for (std::int64_t i = 0; i < slot.shape.elements(); ++i) {
      values.push_back(double((i * 7 + i / 11) % 5 - 2) * 4.0);
    }
  }
  return in;
}

std::vector<float> floats_of(const Values& values) { return {values.begin(), values.end()}; }

void expect_exact(const char* op, const std::vector<std::int64_t>& dims, double padding) {
  const OpCall call = call_of(op, dims, padding);
  const bool reversed = call.op->name.ends_with("_data_backward");
  const Convolution c = convolution_of(call);
  const WinogradPlan plan = reversed ? winograd_data_backward(c) : winograd_convolution(c);
  const std::vector<Values> in = whole_operands(call);
  const std::vector<float> first = floats_of(in[0]);
  const std::vector<float> second = floats_of(in[1]);
  const Values expected = define(call, in);
  const Poll poll;
  for (const int threads : {1, 3}) {
    std::vector<float> found(expected.size() + 1, 77.0F);
    const KernelCall k{call, {}, {}, threads, poll};
    EXPECT_TRUE(convolve_by_winograd(k, plan, (reversed ? second : first).data(),
                                     (reversed ? first : second).data(), found.data()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(double(found[i]), expected[i]) << op << " " << i << " threads " << threads;
    }
    EXPECT_EQ(found.back(), 77.0F);
  }
}

TEST(Winograd, ResultsAndGradientsForTheDataAreThoseOfTheDefinition) {
  for (const char* op : {"conv2d", "conv2d_data_backward"}) {
    for (const double padding : {0.0, 1.0, 2.0}) {
      expect_exact(op, {3, 8, 9, 32, 64, 3, 3}, padding);   // odd sides end within a tile
      expect_exact(op, {60, 4, 5, 64, 32, 3, 3}, padding);  // several blocks
      expect_exact(op, {1, 3, 3, 32, 32, 3, 3}, padding);   // most of the pixels outside
    }
  }
}

TEST(Winograd, SuitsWindowsOfThreeByThreeWithWholePanelsOfChannels) {
  const auto suits = [](std::vector<std::int64_t> dims, double stride, double padding) {
    return winograd_suits<float>(convolution_of(
        make_call(find_op("conv2d"), dims, Dtype::Float32, std::vector<double>{stride, padding})));
  };
  EXPECT_FALSE(suits({8, 16, 16, 64, 64, 3, 3}, 2, 1));
  EXPECT_FALSE(suits({8, 16, 16, 64, 64, 1, 3}, 1, 0));
  EXPECT_FALSE(suits({8, 16, 16, 3, 64, 3, 3}, 1, 1));
  EXPECT_FALSE(suits({8, 16, 16, 65, 64, 3, 3}, 1, 1));
  EXPECT_FALSE(suits({1, 4, 4, 64, 64, 3, 3}, 1, 1));      // few tiles beside the weights
  EXPECT_FALSE(suits({128, 2, 2, 512, 512, 3, 3}, 1, 1));  // most taps fall on no data
}

// 512 tiles are six blocks of 86 for up to three threads, not five of 96 and a rest; eight of 64
// for four.
TEST(Winograd, EachThreadHasAsManyBlocks) {
  const Convolution c = convolution_of(call_of("conv2d", {128, 4, 4, 512, 512, 3, 3}, 1.0));
  const auto block_bytes = [&](int threads) {
    return winograd_bytes<float>(winograd_convolution(c), threads).blocks / threads;
  };
  const auto bytes_of = [](std::int64_t tiles) {
    return (kWinogradProducts * (tiles * (512 + 512) + 2 * kWinogradGap) + 512) * 4;
  };
  EXPECT_EQ(block_bytes(1), bytes_of(86));
  EXPECT_EQ(block_bytes(2), bytes_of(86));
  EXPECT_EQ(block_bytes(3), bytes_of(86));
  EXPECT_EQ(block_bytes(4), bytes_of(64));
}

// 64 tiles: each of 16 threads has all of them and 32 channels, not 12 and all channels, which
// would leave ten threads without work.
TEST(Winograd, FewTilesAreSharedByChannels) {
  const WinogradPlan plan{16, 512, 4, 4, 512, 4, 4, 1, 1, false};
  EXPECT_EQ(winograd_bytes<float>(plan, 16).blocks,
            16 * 4 * (16 * (64 * (512 + 32) + 2 * kWinogradGap) + 512));
}

// Differences of infinities are NaN: what has any is computed as it is defined.
TEST(Winograd, NanAndInfinityReachTheWindowsOverThemAndNoOthers) {
  for (const char* direction : {"conv2d", "conv2d_data_backward"}) {
    const Example example(direction, {1, 20, 20, 32, 32, 3, 3}, Dtype::Float32, {1, 1}, 5);
    const std::size_t data = direction == std::string("conv2d") ? 0 : 1;
    set(example.inputs[data], (4 * 20 + 5) * 32 + 7, std::numeric_limits<double>::quiet_NaN());
    set(example.inputs[data], (14 * 20 + 15) * 32, std::numeric_limits<double>::infinity());
    const auto& engine = find_engine("eigen");
    const Values y = to_values(run(engine, example, 2).view());
    for (std::int64_t i = 0; i < 20 * 20 * 32; ++i) {
      const std::int64_t row = i / 32 / 20;
      const std::int64_t column = i / 32 % 20;
      const auto near = [&](std::int64_t r, std::int64_t q) {
        return std::abs(row - r) <= 1 && std::abs(column - q) <= 1;
      };
      ASSERT_EQ(std::isnan(y[std::size_t(i)]), near(4, 5)) << row << " " << column;
      ASSERT_EQ(std::isinf(y[std::size_t(i)]), near(14, 15)) << row << " " << column;
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
