#include "siliconprof/kernels/cpu/winograd_weights.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engine_agreement.h"

namespace siliconprof::cpu {
namespace {

struct Operands {
  OpCall call;
  std::vector<Values> exact;
  std::vector<std::vector<float>> floats;
};

/// Whole numbers: every sum is exact, in whatever order.
Operands operands_of(const std::vector<std::int64_t>& dims, double padding) {
  Operands made{make_call(find_op("conv2d_weight_backward"), dims, Dtype::Float32,
                          std::vector<double>{1.0, padding}),
                {},
                {}};
  for (const Slot& slot : made.call.op->signature(made.call).inputs) {
    Values& values = made.exact.emplace_back();
    for (std::int64_t i = 0; i < slot.shape.elements(); ++i) {
      values.push_back(double((i * 7 + i / 11) % 5 - 2) * 2.0);
    }
    made.floats.emplace_back(values.begin(), values.end());
  }
  return made;
}

void expect_exact(const std::vector<std::int64_t>& dims, double padding) {
  const Operands made = operands_of(dims, padding);
  const Values expected = define(made.call, made.exact);
  const Poll poll;
  for (const int threads : {1, 3, 50}) {  // chunks for each thread, or all threads at one chunk
    std::vector<float> found(expected.size() + 1, 77.0F);
    EXPECT_TRUE(sum_weights_by_winograd<float>({made.call, {}, {}, threads, poll},
                                               convolution_of(made.call), made.floats[0].data(),
                                               made.floats[1].data(), found.data()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(double(found[i]), expected[i]) << i << " threads " << threads;
    }
    EXPECT_EQ(found.back(), 77.0F);
  }
}

TEST(WinogradWeights, SumsAreThoseOfTheDefinition) {
  for (const double padding : {0.0, 1.0, 2.0}) {
    expect_exact({3, 8, 9, 32, 64, 3, 3}, padding);    // odd sides end within a tile
    expect_exact({40, 9, 12, 96, 32, 3, 3}, padding);  // several groups
    expect_exact({1, 3, 3, 32, 160, 3, 3}, padding);   // several tasks of outputs
  }
}

// 2,048 tiles, 16 products of 64 x 64 sums: as many chunks as are allowed, one for each of 16
// threads, though they are then no whole groups of 96 tiles.
TEST(WinogradWeights, SixteenThreadsHaveAChunkEach) {
  const Convolution c = convolution_of(operands_of({8, 32, 32, 64, 64, 3, 3}, 1).call);
  constexpr std::int64_t group = 16 * (96 * 64 + 96 * 64 + 2 * kWinogradGap);
  const WinogradBytes bytes = winograd_sums_bytes<float>(c, 16);
  EXPECT_EQ(bytes.shared, (16 * 16 * 64 * 64 + 64) * 4);
  EXPECT_EQ(bytes.blocks, 16 * group * 4);
  EXPECT_EQ(winograd_sums_bytes<float>(c, 17).blocks, 0);  // all of them at each chunk
}

TEST(WinogradWeights, WhatIsNotFiniteIsSaid) {
  Operands made = operands_of({2, 8, 8, 32, 32, 3, 3}, 1);
  made.floats[0][1000] = std::numeric_limits<float>::infinity();
  const Poll poll;
  std::vector<float> found(32 * 9 * 32);
  EXPECT_FALSE(sum_weights_by_winograd<float>({made.call, {}, {}, 2, poll},
                                              convolution_of(made.call), made.floats[0].data(),
                                              made.floats[1].data(), found.data()));
}

}  // namespace
}  // namespace siliconprof::cpu
