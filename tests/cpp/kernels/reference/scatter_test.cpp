#include "siliconprof/kernels/reference/scatter.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/scatter.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;

constexpr std::array<std::int32_t, 4> kIndex{2, 0, 2, 2};
const auto kStep = [](std::int64_t) {};
const double kNan = std::nan("");

OpCall call_of(const Op& op, std::int64_t columns) {
  return make_call(op, Dims{3, 4, columns}, Dtype::Float64, {});
}

TEST(ReferenceScatter, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, count, columns] :
       {Dims{1, 1, 1}, {5, 3, 2}, {3, 8, 4}, {4, 0, 2}, {0, 0, 3}, {3, 4, 0}}) {
    for (const char* op : {"scatter", "scatter_sum", "scatter_max"}) {
      prove_op(op, {{"rows", rows}, {"count", count}, {"columns", columns}}, {});
    }
  }
}

TEST(ReferenceScatter, TheLastUpdateOfARowStays) {
  const std::array<double, 6> x{1, 2, 3, 4, 5, 6};
  const std::array<double, 8> updates{10, 11, 20, 21, 30, 31, 40, 41};
  std::array<double, 6> y{};
  scatter(call_of(kScatter, 2), x.data(), kIndex.data(), updates.data(), y.data(), kStep);
  EXPECT_EQ(y, (std::array<double, 6>{20, 21, 3, 4, 40, 41}));
}

TEST(ReferenceScatter, ASlopeGoesToWhatStayed) {
  const std::array<double, 3> dy{7, 8, 9};
  std::array<double, 3> dx{};
  std::array<double, 4> du{};
  scatter_backward<double>(call_of(kScatterBackward, 1), kIndex.data(), dy.data(), dx.data(),
                           du.data(), kStep);
  EXPECT_EQ(dx, (std::array<double, 3>{0, 8, 0}));
  EXPECT_EQ(du, (std::array<double, 4>{0, 7, 0, 9}));
}

TEST(ReferenceScatter, SumsAndMaximaByHand) {
  const std::array<double, 8> updates{-1, 5, 20, 21, 3, kNan, -4, 6};
  std::array<double, 6> y{};
  scatter_sum<double>(call_of(kScatterSum, 2), updates.data(), kIndex.data(), y.data(), kStep);
  EXPECT_EQ(y[0], 20);
  EXPECT_EQ(y[1], 21);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[4], -2);
  EXPECT_TRUE(std::isnan(y[5]));
  scatter_max<double>(call_of(kScatterMax, 2), updates.data(), kIndex.data(), y.data(), kStep);
  EXPECT_EQ(y[0], 20);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[4], 3);
  EXPECT_TRUE(std::isnan(y[5]));
}

TEST(ReferenceScatter, TheSlopeOfAMaximumGoesToTheFirst) {
  const std::array<double, 8> updates{3, 5, -20, 21, 3, kNan, 1, kNan};
  const std::array<double, 6> y{-20, 21, 0, 0, 3, kNan};
  const std::array<double, 6> dy{1, 2, 3, 4, 5, 6};
  std::array<double, 8> du{};
  scatter_max_backward<double>(call_of(kScatterMaxBackward, 2), updates.data(), kIndex.data(),
                               y.data(), dy.data(), du.data(), kStep);
  EXPECT_EQ(du, (std::array<double, 8>{5, 0, 1, 2, 0, 6, 0, 0}));
}

}  // namespace
}  // namespace siliconprof::reference
