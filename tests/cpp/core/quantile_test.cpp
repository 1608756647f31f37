#include "siliconprof/core/quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

using Samples = std::vector<double>;

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const Samples x{4.0, 1.0, 3.0, 2.0};
  EXPECT_DOUBLE_EQ(quantile(x, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile(x, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(median(x), 2.5);
  EXPECT_DOUBLE_EQ(quantile(x, 1.0), 4.0);
}

TEST(Interval, ReachesToAValueOutside) {
  EXPECT_EQ(reaching({2.0, 3.0}, 2.5), (Interval{2.0, 3.0}));
  EXPECT_EQ(reaching({2.0, 3.0}, 1.0), (Interval{1.0, 3.0}));
  EXPECT_EQ(reaching({2.0, 3.0}, 4.0), (Interval{2.0, 4.0}));
  EXPECT_EQ(reaching({8.0, 3.0}, 2.0), (Interval{2.0, 3.0}));
}

TEST(Quantile, OfOneSampleIsThatSample) { EXPECT_DOUBLE_EQ(quantile(Samples{5.0}, 0.3), 5.0); }

TEST(Quantile, RefusesNothingNanAndBadQ) {
  EXPECT_THROW(median(Samples{}), ArgumentError);
  EXPECT_THROW(median(Samples{1.0, std::numeric_limits<double>::quiet_NaN()}), ArgumentError);
  EXPECT_THROW(quantile(Samples{1.0}, 1.5), ArgumentError);
  EXPECT_THROW(quantile(Samples{1.0}, std::nan("")), ArgumentError);
}

TEST(Mad, IsTheMedianDistanceFromTheMedian) {
  // median 3, distances 2 1 0 1 97
  EXPECT_DOUBLE_EQ(median_absolute_deviation(Samples{1, 2, 3, 4, 100}), 1.0);
}

TEST(MedianInterval, MatchesTheSignTestTable) {
  // n = 10: P(B <= 1) = 11/1024, twice that is 2.15 %; P(B <= 2) = 56/1024 would be 10.9 %.
  Samples x;
  for (int i = 1; i <= 10; ++i) x.push_back(i);
  const auto found = median_interval(x, 0.95);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->lo, 2.0);
  EXPECT_DOUBLE_EQ(found->hi, 9.0);
}

TEST(MedianInterval, NeedsSixSamplesForNinetyFivePercent) {
  EXPECT_FALSE(median_interval(Samples{1, 2, 3, 4, 5}, 0.95));
  EXPECT_TRUE(median_interval(Samples{1, 2, 3, 4, 5, 6}, 0.95));
  EXPECT_FALSE(median_interval(Samples{}, 0.95));
}

TEST(MedianInterval, CoversASkewedMedianAsOftenAsItSays) {
  std::mt19937_64 random(42);
  std::lognormal_distribution<double> skewed(0.0, 1.0);  // median 1
  int covered = 0;
  const int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    Samples x(25);
    for (double& value : x) value = skewed(random);
    const auto found = median_interval(x, 0.95);
    covered += found->lo <= 1.0 && 1.0 <= found->hi;
  }
  // Exact coverage at n = 25 is 95.7 %; four standard errors are 1.8 %.
  EXPECT_GT(covered, trials * 0.939);
  EXPECT_LT(covered, trials * 0.975);
}

TEST(MedianInterval, StaysFiniteForManySamples) {
  Samples x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = double(i);
  const auto found = median_interval(x, 0.95);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->hi - found->lo, 2 * 1.96 * std::sqrt(5000.0) / 2, 3.0);
}

TEST(MedianIntervalOfSeries, IsTheSameWhereNeighboursAreNotAlike) {
  Samples alternating(20);
  for (std::size_t i = 0; i < alternating.size(); ++i) {
    alternating[i] = double(i % 2 == 0 ? i : 40 - i);
  }
  EXPECT_EQ(median_interval_of_series(alternating, 0.95), median_interval(alternating, 0.95));
  EXPECT_EQ(median_interval_of_series(Samples(9, 1.0), 0.95), (Interval{1.0, 1.0}));
  EXPECT_FALSE(median_interval_of_series(Samples{1, 2, 1, 2, 1}, 0.95));
  EXPECT_FALSE(median_interval_of_series(Samples{}, 0.95));
}

TEST(MedianIntervalOfSeries, IsTheRangeOfSamplesThatOnlyGrow) {
  Samples growing(20);
  for (std::size_t i = 0; i < growing.size(); ++i) growing[i] = double(i + 1);
  // Sides - and + ten times each: 17 of 20 alike, and 1/20; 4.4 times as wide as ranks 6 to 15.
  EXPECT_EQ(median_interval_of_series(growing, 0.95), (Interval{1.0, 20.0}));
  EXPECT_EQ(median_interval(growing, 0.95), (Interval{6.0, 15.0}));
}

TEST(MedianIntervalOfSeries, CoversTheMedianOfSamplesThatHangTogether) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  int covered = 0;
  int taken_as_independent = 0;
  const int trials = 1000;
  for (int trial = 0; trial < trials; ++trial) {
    Samples x(60);
    double last = normal(random);
    for (double& value : x) value = last = 0.5 * last + std::sqrt(0.75) * normal(random);
    const auto holds_0 = [](const std::optional<Interval>& found) {
      return found->lo <= 0.0 && 0.0 <= found->hi;
    };
    covered += holds_0(median_interval_of_series(x, 0.95));
    taken_as_independent += holds_0(median_interval(x, 0.95));
  }
  EXPECT_GT(covered, trials * 0.93);
  EXPECT_LT(taken_as_independent, trials * 0.90);
}

TEST(MeanInterval, IsTheNormalOne) {
  const auto found = mean_interval(Samples{1, 2, 3, 4, 5}, 0.95);
  ASSERT_TRUE(found);
  // sd = sqrt(2.5), standard error sqrt(0.5), 1.95996 of it
  EXPECT_NEAR(found->lo, 3.0 - 1.3859, 1e-4);
  EXPECT_NEAR(found->hi, 3.0 + 1.3859, 1e-4);
  EXPECT_FALSE(mean_interval(Samples{1}, 0.95));
}

TEST(MeanInterval, OfTimesStaysAboveZero) {
  Samples times(100, 1e-6);
  times[7] = 1e-3;  // mean 1.1e-5, standard error 1e-5
  const auto found = mean_interval(times, 0.95);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->lo, 1e-6);
  EXPECT_NEAR(found->hi, 1.099e-5 + 1.95996 * 0.999e-5, 1e-10);
}

TEST(MeanInterval, HoldsTheMeanOfEqualSamples) {
  const Samples equal(100, 0.1);
  ASSERT_LT(mean(equal), 0.1) << "a sum of a hundred is rounded";
  const auto found = mean_interval(equal, 0.95);
  ASSERT_TRUE(found);
  EXPECT_LE(found->lo, mean(equal));
  EXPECT_GE(found->hi, mean(equal));
}

TEST(Interval, RefusesAnImpossibleConfidence) {
  EXPECT_THROW(median_interval(Samples{1, 2}, 1.0), ArgumentError);
  EXPECT_THROW(mean_interval(Samples{1, 2}, 0.0), ArgumentError);
}

TEST(Quantile, AnInfiniteSampleStaysAtItsPlace) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantile(std::vector<double>{1.0, inf}, 0.0), 1.0);
  EXPECT_EQ(quantile(std::vector<double>{inf, inf}, 0.5), inf);
  EXPECT_EQ(median(std::vector<double>{1.0, 2.0, inf}), 2.0);
}

}  // namespace
}  // namespace siliconprof
