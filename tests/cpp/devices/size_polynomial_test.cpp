#include "siliconprof/devices/size_polynomial.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

template <class Function>
std::optional<SizePolynomial> fitted(const SizeProbes& probes, Function f) {
  std::vector<std::int64_t> values;
  for (const StepSize& size : probes.sizes()) values.push_back(f(size.batch, size.length));
  return probes.fit(values);
}

TEST(SizeProbes, AreTwoBatchesTimesThreeLengthsAndOneBetween) {
  const SizeProbes probes({1, 64}, {8, 1024});
  EXPECT_EQ(probes.sizes(),
            (std::vector<StepSize>{{1, 64}, {1, 544}, {1, 1024}, {8, 64}, {8, 544}, {8, 1024}}));
  EXPECT_EQ(probes.other(), (StepSize{4, 384}));
}

TEST(SizeProbes, OfOneSizeAreThatSizeAlone) {
  const SizeProbes probes({4, 128}, {4, 128});
  EXPECT_EQ(probes.sizes(), (std::vector<StepSize>{{4, 128}}));
  EXPECT_FALSE(probes.other());
  EXPECT_EQ(fitted(probes, [](auto, auto) { return 7; }).value().factors[0], 7);
}

TEST(SizeProbes, RefuseARangeWithoutSizes) {
  EXPECT_THROW(SizeProbes({0, 1}, {4, 4}), ArgumentError);
  EXPECT_THROW(SizeProbes({4, 8}, {4, 4}), ArgumentError);
}

TEST(SizePolynomial, IsReadOffItsValues) {
  // 5 + 3 b + 12 b t²: the scores of twelve heads, and more.
  const auto f = [](std::int64_t b, std::int64_t t) { return 5 + 3 * b + 12 * b * t * t; };
  const auto found = fitted(SizeProbes({1, 64}, {8, 1024}), f);
  EXPECT_EQ(found.value().factors, (std::array<std::int64_t, 6>{5, 0, 0, 3, 0, 12}));
  EXPECT_EQ(found.value().at({3, 100}), f(3, 100));
  EXPECT_FALSE(found.value().is_constant());
}

TEST(SizePolynomial, OfFewSizesHasTheLowestDegree) {
  const auto found =
      fitted(SizeProbes({2, 7}, {2, 8}), [](std::int64_t, std::int64_t t) { return 10 * t + 1; });
  EXPECT_EQ(found.value().factors, (std::array<std::int64_t, 6>{1, 10, 0, 0, 0, 0}));
}

TEST(SizePolynomial, AConstantIsSeenAsOne) {
  const auto found = fitted(SizeProbes({1, 1}, {9, 9}), [](auto, auto) { return 768; });
  EXPECT_TRUE(found.value().is_constant());
}

TEST(SizePolynomial, OfWhatIsRoundedThereIsNone) {
  const auto half = [](std::int64_t, std::int64_t t) { return (t + 1) / 2; };
  EXPECT_FALSE(fitted(SizeProbes({1, 1}, {1, 10}), half));
}

}  // namespace
}  // namespace siliconprof
