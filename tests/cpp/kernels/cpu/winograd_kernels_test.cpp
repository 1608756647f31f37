#include "siliconprof/kernels/cpu/winograd_kernels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace siliconprof::cpu {
namespace {

constexpr std::size_t kChannels = 32;

/// Small whole numbers, whose sums and halves are exact: pixels or taps of all channels.
template <std::size_t kPixels>
std::vector<float> whole_numbers(int seed) {
  std::vector<float> values;
  for (int i = 0; i < int(kPixels * kChannels); ++i) {
    values.push_back(float((i * 7 + i / 32 * seed) % 9 - 4) * 4.0F);
  }
  return values;
}

template <std::size_t kPixels, class T>
auto pointers(std::vector<T>& values) {
  std::array<T*, kPixels> all;
  for (std::size_t i = 0; i < kPixels; ++i) all[i] = values.data() + i * kChannels;
  return all;
}

// Factors (products, channels), in one panel.
using Factors = std::vector<float>;
WinogradFactors<float> whole(Factors& to) {
  to.assign(16 * kChannels, 77.0F);
  return {to.data(), kChannels, 0, kChannels};
}

TEST(WinogradKernels, ProductsOfFactorsGiveTheResultsOfEachWindow) {
  for (const WinogradKernels* kernels : runnable_winograd_kernels()) {
    std::vector<float> x = whole_numbers<16>(3);
    std::vector<float> g = whole_numbers<9>(5);
    std::vector<float> y(4 * kChannels, 77.0F);
    Factors data, weights;
    const WinogradLoops<float>& loops = kernels->float32;
    loops.from_data(pointers<16>(x).data(), kChannels, whole(data));
    loops.from_weights(pointers<9>(g).data(), kChannels, whole(weights));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] *= weights[i];
    EXPECT_TRUE(loops.to_results(data.data(), kChannels, kChannels, pointers<4>(y).data()));
    for (std::size_t at = 0; at < 4; ++at) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        float sum = 0.0F;
        for (std::size_t tap = 0; tap < 9; ++tap) {
          const std::size_t pixel = (at / 2 + tap / 3) * 4 + at % 2 + tap % 3;
          sum += x[pixel * kChannels + c] * g[tap * kChannels + c];
        }
        EXPECT_EQ(y[at * kChannels + c], sum) << kernels->instruction_set << " " << at << " " << c;
      }
    }
  }
}

TEST(WinogradKernels, ProductsOfFactorsGiveTheGradientOfEachWeight) {
  for (const WinogradKernels* kernels : runnable_winograd_kernels()) {
    std::vector<float> x = whole_numbers<16>(3);
    std::vector<float> dy = whole_numbers<4>(5);
    std::vector<float> dg(9 * kChannels, 77.0F);
    Factors data, slopes;
    const WinogradLoops<float>& loops = kernels->float32;
    loops.from_data(pointers<16>(x).data(), kChannels, whole(data));
    loops.from_slopes(pointers<4>(dy).data(), kChannels, whole(slopes));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] *= slopes[i];
    EXPECT_TRUE(loops.to_weight_slopes(data.data(), kChannels, kChannels, pointers<9>(dg).data()));
    for (std::size_t tap = 0; tap < 9; ++tap) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        float sum = 0.0F;
        for (std::size_t at = 0; at < 4; ++at) {
          const std::size_t pixel = (at / 2 + tap / 3) * 4 + at % 2 + tap % 3;
          sum += x[pixel * kChannels + c] * dy[at * kChannels + c];
        }
        EXPECT_EQ(dg[tap * kChannels + c], sum) << kernels->instruction_set << " " << tap;
      }
    }
  }
}

TEST(WinogradKernels, FactorsGoWhereTheirPanelIs) {
  for (const WinogradKernels* kernels : runnable_winograd_kernels()) {
    std::vector<float> x = whole_numbers<16>(3);
    Factors straight;
    std::vector<float> panels(16 * 200, 77.0F);
    const WinogradLoops<float>& loops = kernels->float32;
    loops.from_data(pointers<16>(x).data(), kChannels, whole(straight));
    loops.from_data(pointers<16>(x).data(), kChannels, {panels.data(), 200, 100, 16});
    for (std::size_t e = 0; e < 16; ++e) {
      for (std::size_t c = 0; c < kChannels; ++c) {
        EXPECT_EQ(panels[e * 200 + c / 16 * 100 + c % 16], straight[e * kChannels + c]);
      }
    }
  }
}

TEST(WinogradKernels, WhatIsNotFiniteIsSaid) {
  for (const WinogradKernels* kernels : runnable_winograd_kernels()) {
    for (const float value : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
      std::vector<float> products(16 * kChannels, 1.0F);
      products[5 * kChannels + 31] = value;
      std::vector<float> y(9 * kChannels);
      EXPECT_FALSE(kernels->float32.to_results(products.data(), kChannels, kChannels,
                                               pointers<4>(y).data()));
      EXPECT_FALSE(kernels->float32.to_weight_slopes(products.data(), kChannels, kChannels,
                                                     pointers<9>(y).data()));
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
