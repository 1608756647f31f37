#include "siliconprof/kernels/cpu/pool_kernels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace siliconprof::cpu {
namespace {

// Two results, of a plane of lines of 4 places: the sources of the first are 1, 2, 5, 6, of the
// second 2, 6.
constexpr std::array<PoolRange, 2> kColumns{{{1, 3}, {2, 3}}};
constexpr std::size_t kPlaces = 8;

PoolRow row_of(std::int64_t channels) { return {{0, 2}, kColumns.data(), 2, 4, 0, channels}; }

std::vector<float> plane_of(std::size_t channels, float value) {
  return std::vector<float>(kPlaces * channels, value);
}

void expect_largest(const PoolKernels& kernels, const std::vector<float>& x, std::size_t channels,
                    const std::vector<std::int32_t>& places) {
  std::vector<float> y(2 * channels + 1, 77.0F);
  std::vector<std::int32_t> found(2 * channels + 1, 77);
  kernels.float32.largest(x.data(), row_of(std::int64_t(channels)), y.data(), found.data(), false);
  for (std::size_t i = 0; i < 2 * channels; ++i) {
    SCOPED_TRACE(std::to_string(i) + " of " + std::to_string(channels));
    EXPECT_EQ(found[i], places[i]) << kernels.instruction_set;
    const float value = x[std::size_t(places[i]) * channels + i % channels];
    EXPECT_TRUE(y[i] == value || (std::isnan(y[i]) && std::isnan(value))) << y[i];
  }
  EXPECT_EQ(y.back(), 77.0F);
  EXPECT_EQ(found.back(), 77);
}

TEST(PoolKernels, EveryBuildTakesTheFirstOfTheLargestOrTheLastNanForAnyChannelCount) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (std::size_t channels = 1; channels <= 85; ++channels) {
      std::vector<float> x = plane_of(channels, -100.0F);
      std::vector<std::int32_t> places(2 * channels);
      for (std::size_t j = 0; j < channels; ++j) {
        const auto at = [&](std::size_t place) -> float& { return x[place * channels + j]; };
        at(4) = at(7) = nan;  // no one's source
        at(6) = -3.0F;
        at(5) = j % 5 == 1 ? -2.0F : j % 5 == 3 ? nan : -3.0F;
        at(2) = j % 5 == 2 ? -1.0F : j % 5 == 4 ? nan : -3.0F;
        at(1) = j % 5 == 4 ? nan : -3.0F;
        constexpr std::array<std::int32_t, 5> taken{1, 5, 2, 5, 2};
        places[j] = taken[j % 5];
        places[channels + j] = 2;
      }
      expect_largest(*kernels, x, channels, places);
    }
  }
}

// Without a NaN among them vectors go another way, with infinities of one sign or of both.
TEST(PoolKernels, EveryBuildTakesTheFirstOfTheLargestNumbers) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (const auto& [most, least] : {std::pair{7.0F, -7.0F}, {inf, -7.0F}, {inf, -inf}}) {
      std::vector<float> x = plane_of(80, least);
      std::vector<std::int32_t> places(160);
      for (std::size_t j = 0; j < 80; ++j) {
        const std::size_t which = j % 3 == 0 ? 6 : j % 3 == 1 ? 5 : 1;
        x[which * 80 + j] = most;
        places[j] = std::int32_t(which);
        places[80 + j] = which == 6 ? 6 : 2;
      }
      expect_largest(*kernels, x, 80, places);
    }
  }
}

TEST(PoolKernels, EveryBuildSumsAndScales) {
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (std::size_t channels = 1; channels <= 37; ++channels) {
      std::vector<double> x(kPlaces * channels);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i);
      std::vector<double> y(2 * channels + 1, 77.0);
      PoolRow row = row_of(std::int64_t(channels));
      kernels->float64.scaled_sum(x.data(), row, 0.5, y.data());
      for (std::size_t j = 0; j < channels; ++j) {
        EXPECT_EQ(y[j], 0.5 * double((1 + 2 + 5 + 6) * channels + 4 * j));
        EXPECT_EQ(y[channels + j], 0.5 * double((2 + 6) * channels + 2 * j));
      }
      EXPECT_EQ(y.back(), 77.0);
      row.rows = {1, 1};
      kernels->float64.scaled_sum(x.data(), row, 0.5, y.data());
      EXPECT_EQ(y[0], 0.0);
    }
  }
}

// 20 rows of two columns: places 0 to 39.
TEST(PoolKernels, EveryBuildSumsTallWindows) {
  const PoolRange columns{0, 2};
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (const std::size_t channels : {1, 7, 16, 70}) {
      std::vector<float> x(40 * channels);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i);
      std::vector<float> y(channels + 1, 77.0F);
      const PoolRow row{{0, 20}, &columns, 1, 2, 0, std::int64_t(channels)};
      kernels->float32.scaled_sum(x.data(), row, 0.5, y.data());
      for (std::size_t j = 0; j < channels; ++j) {
        EXPECT_EQ(y[j], float(780 * channels + 40 * j) / 2) << kernels->instruction_set;
      }
      EXPECT_EQ(y.back(), 77.0F);
    }
  }
}

TEST(PoolKernels, EveryBuildAddsWhatWasTakenFromAPlace) {
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (std::size_t channels = 1; channels <= 85; ++channels) {
      // Windows 1, 2 and 6 took place 20 in every channel, 5 in every third; place 21 is 2's alone
      // in none.
      std::vector<std::int32_t> place(kPlaces * channels, 20);
      std::vector<float> dy(kPlaces * channels);
      for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = float(i / channels);
      for (std::size_t j = 0; j < channels; ++j) place[5 * channels + j] = j % 3 == 0 ? 20 : 3;
      for (const bool stream : {false, true}) {
        std::vector<float> dx(2 * channels + 1, 77.0F);
        kernels->float32.sum_where(place.data(), dy.data(), row_of(std::int64_t(channels)), 20,
                                   dx.data(), stream);
        for (std::size_t j = 0; j < channels; ++j) {
          EXPECT_EQ(dx[j], j % 3 == 0 ? 14.0F : 9.0F) << kernels->instruction_set << " " << j;
          EXPECT_EQ(dx[channels + j], 0.0F);
        }
        EXPECT_EQ(dx.back(), 77.0F);
      }
    }
  }
}

TEST(PoolKernels, EveryBuildFindsAPlaceThatIsNotAmongTheSources) {
  for (const PoolKernels* kernels : runnable_pool_kernels()) {
    for (std::size_t channels = 1; channels <= 85; channels += 3) {
      const PoolRow row = row_of(std::int64_t(channels));
      std::vector<std::int32_t> place(2 * channels, 6);
      place[0] = 1;
      EXPECT_TRUE(kernels->float32.all_among(place.data(), row)) << kernels->instruction_set;
      for (const std::int32_t outside : {-1, 0, 1, 3, 4, 5, 7, 8, 1 << 30}) {
        place[2 * channels - 1] = outside;
        EXPECT_FALSE(kernels->float32.all_among(place.data(), row)) << outside;
        EXPECT_FALSE(kernels->float64.all_among(place.data(), row)) << outside;
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
