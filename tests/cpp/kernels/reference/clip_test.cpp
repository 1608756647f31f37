#include "siliconprof/kernels/reference/clip.h"

#include <array>
#include <cmath>
#include <limits>

#include "cost_proof.h"
#include "siliconprof/ops/clip.h"

namespace siliconprof::reference {
namespace {

const auto kNoStep = [](std::int64_t) {};
const std::array<std::int64_t, 1> kTwo{2};

std::array<double, 2> clipped(const std::array<double, 2>& g, double total, double max_norm) {
  std::array<double, 2> out{};
  clip<double>(make_call(kClip, kTwo, Dtype::Float64, std::array{max_norm}), g.data(), &total,
               out.data(), kNoStep);
  return out;
}

TEST(ReferenceClip, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {0, 1, 2, 17}) {
    prove_op("square_sum", {{"n", n}}, {});
    prove_op("clip", {{"n", n}}, {{"max_norm", 0.5}});
  }
}

TEST(ReferenceClip, SquaresAreAddedToTheTotal) {
  const std::array<double, 2> x{3, -4};
  double total = 100.0;
  square_sum<double>(make_call(kSquareSum, kTwo, Dtype::Float64, {}), x.data(), &total, &total,
                     kNoStep);
  EXPECT_EQ(total, 125.0);
}

TEST(ReferenceClip, ALongGradientIsShortenedAndAShortOneKept) {
  const auto half = clipped({3, -4}, 25.0, 2.5);
  EXPECT_NEAR(half[0], 1.5, 1e-6);
  EXPECT_NEAR(half[1], -2.0, 1e-6);
  EXPECT_EQ(clipped({3, -4}, 25.0, 6.0), (std::array<double, 2>{3, -4}));
}

TEST(ReferenceClip, AnInfiniteNormLeavesNothingAndNanSpoilsAll) {
  EXPECT_EQ(clipped({3, -4}, std::numeric_limits<double>::infinity(), 1.0)[0], 0.0);
  EXPECT_TRUE(std::isnan(clipped({3, -4}, std::nan(""), 1.0)[0]));
}

}  // namespace
}  // namespace siliconprof::reference
