#include "siliconprof/kernels/reference/dropout.h"

#include <array>
#include <cmath>
#include <vector>

#include "cost_proof.h"
#include "siliconprof/ops/dropout.h"

namespace siliconprof::reference {
namespace {

std::vector<double> dropped(std::int64_t n, double rate, double seed) {
  const std::vector<double> x(std::size_t(n), 3.0);
  std::vector<double> y(x.size());
  dropout<double>(make_call(kDropout, std::array{n}, Dtype::Float64, std::array{rate, seed}),
                  x.data(), y.data(), [](std::int64_t) {});
  return y;
}

/// Elements that both keep or both drop.
std::int64_t alike(const std::vector<double>& a, const std::vector<double>& b, std::size_t shift) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i + shift < a.size(); ++i) {
    count += std::int64_t((a[i] == 0.0) == (b[i + shift] == 0.0));
  }
  return count;
}

TEST(ReferenceDropout, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {0, 1, 2, 17}) prove_op("dropout", {{"n", n}}, {{"rate", 0.5}});
}

TEST(ReferenceDropout, KeepsTheRightShareAndScalesIt) {
  constexpr std::int64_t n = 300000;  // five runs
  for (const double rate : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    std::int64_t zeros = 0;
    for (const double y : dropped(n, rate, 42)) {
      if (y == 0.0) {
        ++zeros;
      } else {
        ASSERT_DOUBLE_EQ(y, 3.0 / (1 - rate));
      }
    }
    // Five standard deviations of a binomial count.
    EXPECT_NEAR(double(zeros), rate * n, 5 * std::sqrt(n * rate * (1 - rate))) << rate;
  }
}

TEST(ReferenceDropout, NeighboursRunsAndSeedsAreIndependent) {
  constexpr std::int64_t n = 1 << 18;
  const auto expect_independent = [](const std::vector<double>& a, const std::vector<double>& b,
                                     std::size_t shift) {
    const double count = double(a.size() - shift);
    EXPECT_NEAR(double(alike(a, b, shift)), count / 2, 5 * std::sqrt(count) / 2) << shift;
  };
  const std::vector<double> one = dropped(n, 0.5, 1);
  for (const std::size_t shift : {1, 2, 3, 16, 64, 256, 1024, 65535, 65536, 65537}) {
    expect_independent(one, one, shift);
  }
  for (const double seed : {0.0, 2.0, -1.0, 1.5, 1e9}) {
    for (const std::size_t shift : {0, 1, 65536}) {
      expect_independent(one, dropped(n, 0.5, seed), shift);
    }
  }
}

TEST(ReferenceDropout, TheSameSeedDropsTheSameElements) {
  EXPECT_EQ(dropped(70000, 0.3, 5), dropped(70000, 0.3, 5));
  const std::vector<double> longer = dropped(70000, 0.3, 5);
  EXPECT_EQ(dropped(100, 0.3, 5), (std::vector<double>(longer.begin(), longer.begin() + 100)));
}

TEST(ReferenceDropout, TheFirstElementsStayWhatTheyAre) {
  // Recorded: a changed generator changes every run that was made with it.
  const std::vector<double> y = dropped(24, 0.5, 0);
  std::string kept;
  for (const double value : y) kept += value == 0.0 ? '0' : '1';
  EXPECT_EQ(kept, "010111010111100010101001");
}

}  // namespace
}  // namespace siliconprof::reference
