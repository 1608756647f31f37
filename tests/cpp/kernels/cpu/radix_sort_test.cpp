#include "siliconprof/kernels/cpu/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace siliconprof::cpu {
namespace {

TEST(RadixSort, IsStableInBothDirectionsWithAStride) {
  const double nan = std::nan("");
  // Every other element counts.
  const std::array<double, 10> x{3, 9, nan, 9, -0.0, 9, 0.0, 9, 3, 9};
  std::array<double, 10> values{};
  std::array<std::int32_t, 10> order{};
  const SortedColumn<double> column{x.data(), values.data(), order.data(), 2, 5};
  radix_sort(column, false, {});
  EXPECT_EQ(order, (std::array<std::int32_t, 10>{2, 0, 3, 0, 0, 0, 4, 0, 1, 0}));
  EXPECT_TRUE(std::signbit(values[0]));
  EXPECT_TRUE(std::isnan(values[8]));
  radix_sort(column, true, {});
  EXPECT_EQ(order, (std::array<std::int32_t, 10>{1, 0, 0, 0, 4, 0, 2, 0, 3, 0}));
}

TEST(RadixSort, PollsNowAndThen) {
  std::vector<float> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i * 7919 % 5000);
  std::vector<float> values(x.size());
  std::vector<std::int32_t> order(x.size());
  int polls = 0;
  radix_sort<float>({x.data(), values.data(), order.data(), 1, 5000}, false, [&] { ++polls; });
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_GE(polls, 5);
}

}  // namespace
}  // namespace siliconprof::cpu
