#include "siliconprof/kernels/cpu/pool_kernels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace siliconprof::cpu {
namespace {

constexpr std::array<std::int64_t, 3> kOffsets{80, 0, 40};
constexpr std::array<std::int32_t, 3> kPositions{3, 5, 7};
// Of channels j with j % 5 = 0, 1, ..., which pixel is taken.
constexpr std::array<std::size_t, 5> kLargest{0, 1, 2, 1, 0};
// Neighbours that a float can't tell apart.
constexpr std::array<std::int32_t, 3> kLargePositions{(1 << 24) + 1, (1 << 24) + 2, (1 << 24) + 3};

TEST(PoolKernels, EveryBuildTakesTheFirstOfTheLargestForAnyChannelCount) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (std::int64_t channels = 1; channels <= 37; ++channels) {
      std::vector<float> x(120, -100.0F);
      for (std::size_t j = 0; j < 40; ++j) {
        x[80 + j] = j % 5 == 4 ? nan : -3.0F;
        x[j] = j % 5 == 1 ? -2.0F : j % 5 == 3 ? nan : -3.0F;
        x[40 + j] = j % 5 == 2 ? -1.0F : j % 5 == 4 ? nan : -3.0F;
      }
      for (const auto& positions : {kPositions, kLargePositions}) {
        std::vector<float> y(std::size_t(channels) + 1, 77.0F);
        std::vector<std::int32_t> position(std::size_t(channels) + 1, 77);
        kernels->float32.largest(x.data(), kOffsets.data(), positions.data(), 3, 1000, y.data(),
                                 position.data(), channels);
        for (std::size_t j = 0; j < std::size_t(channels); ++j) {
          EXPECT_EQ(std::isnan(y[j]), j % 5 >= 3) << kernels->instruction_set << " " << j;
          if (j % 5 < 3) {
            EXPECT_EQ(y[j], -3.0F + float(j % 5));
          }
          EXPECT_EQ(position[j], 1000 + positions[kLargest[j % 5]]);
        }
        EXPECT_EQ(y.back(), 77.0F);
        EXPECT_EQ(position.back(), 77);
      }
    }
  }
}

// Without a NaN among them whole vectors go another way, with infinities of one sign or of both.
TEST(PoolKernels, EveryBuildTakesTheFirstOfTheLargestNumbers) {
  const float inf = std::numeric_limits<float>::infinity();
  constexpr std::array<std::size_t, 5> kFirst{0, 1, 2, 0, 0};
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (const auto& [most, least] : {std::pair{7.0F, -7.0F}, {inf, -7.0F}, {inf, -inf}}) {
      std::vector<float> x(120, least);
      for (std::size_t j = 0; j < 40; ++j) {
        x[80 + j] = j % 5 == 4 ? most : -3.0F;
        x[j] = j % 5 == 1 || j % 5 == 4 ? most : j % 5 == 0 ? -3.0F : least;
        x[40 + j] = j % 5 == 2 ? most : least;
      }
      for (const auto& positions : {kPositions, kLargePositions}) {
        std::vector<float> y(40);
        std::vector<std::int32_t> position(40);
        kernels->float32.largest(x.data(), kOffsets.data(), positions.data(), 3, 1000, y.data(),
                                 position.data(), 40);
        for (std::size_t j = 0; j < 40; ++j) {
          EXPECT_EQ(y[j], j % 5 == 0 || j % 5 == 3 ? -3.0F : most) << kernels->instruction_set;
          EXPECT_EQ(position[j], 1000 + positions[kFirst[j % 5]]) << j;
        }
      }
    }
  }
}

TEST(PoolKernels, EveryBuildSumsAndScales) {
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (std::int64_t channels = 1; channels <= 37; ++channels) {
      std::vector<double> x(120);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i);
      std::vector<double> y(std::size_t(channels) + 1, 77.0);
      kernels->float64.scaled_sum(x.data(), kOffsets.data(), 3, 0.5, y.data(), channels);
      for (std::size_t j = 0; j < std::size_t(channels); ++j) {
        EXPECT_EQ(y[j], 0.5 * double(120 + 3 * j));
      }
      EXPECT_EQ(y.back(), 77.0);
      kernels->float64.scaled_sum(x.data(), kOffsets.data(), 0, 0.5, y.data(), channels);
      EXPECT_EQ(y[0], 0.0);
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
