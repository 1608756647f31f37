#include "siliconprof/kernels/reference/pool.h"

#include <array>
#include <limits>

#include "cost_proof.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 5>;
using Attributes = std::array<double, 2>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const auto kNoStep = [](std::int64_t) {};

TEST(ReferencePool, CostIsWhatTheDefinitionTakes) {
  for (const Attributes& a : {Attributes{1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 1}, {5, 0}}) {
    for (const auto& [batch, height, width, channels, kernel] :
         {Dims{1, 3, 3, 1, 3}, {2, 5, 7, 3, 3}, {1, 6, 4, 2, 2}}) {
      for (const char* op : {"max_pool2d", "avg_pool2d"}) {
        prove_op(op,
                 {{"batch", batch},
                  {"height", height},
                  {"width", width},
                  {"channels", channels},
                  {"kernel", kernel}},
                 {{"stride", a[0]}, {"padding", a[1]}});
      }
    }
  }
  for (const char* op :
       {"max_pool2d", "max_pool2d_backward", "avg_pool2d", "avg_pool2d_backward"}) {
    prove_cost(make_call(find_op(op), Dims{0, 4, 4, 2, 2}, Dtype::Float32, {}));
    prove_cost(make_call(find_op(op), Dims{2, 4, 4, 0, 2}, Dtype::Float32, {}));
    prove_cost(make_call(find_op(op), Dims{1, 1, 1, 1, 1}, Dtype::Float32, {}));
  }
}

TEST(ReferencePool, TakesTheFirstOfTheLargestByHand) {
  const OpCall call = make_call(kMaxPool2d, Dims{1, 2, 4, 1, 2}, Dtype::Float64, {});
  const std::array<double, 8> x{-1, -5, 7, 1,  //
                                -1, -7, 7, 0};
  std::array<double, 2> y{};
  std::array<std::int32_t, 2> position{};
  max_pool2d<double>(call, x.data(), y.data(), position.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 2>{-1, 7}));
  EXPECT_EQ(position, (std::array<std::int32_t, 2>{0, 2}));
  const std::array<double, 2> dy{3, 4};
  std::array<double, 8> dx{};
  max_pool2d_backward<double>(call, position.data(), dy.data(), dx.data(), kNoStep);
  EXPECT_EQ(dx, (std::array<double, 8>{3, 0, 4, 0, 0, 0, 0, 0}));
}

TEST(ReferencePool, ANanIsAboveAll) {
  const OpCall call = make_call(kMaxPool2d, Dims{1, 2, 2, 1, 2}, Dtype::Float64, {});
  for (std::size_t at = 0; at < 4; ++at) {
    std::array<double, 4> x{1, 2, 9, 3};
    x[at] = kNan;
    std::array<double, 1> y{};
    std::array<std::int32_t, 1> position{};
    max_pool2d<double>(call, x.data(), y.data(), position.data(), kNoStep);
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(position[0], std::int32_t(at));
  }
}

TEST(ReferencePool, TheLastOfSeveralNansIsTaken) {
  const OpCall call = make_call(kMaxPool2d, Dims{1, 2, 2, 1, 2}, Dtype::Float64, {});
  const std::array<double, 4> x{kNan, 9, kNan, 3};
  std::array<double, 1> y{};
  std::array<std::int32_t, 1> position{};
  max_pool2d<double>(call, x.data(), y.data(), position.data(), kNoStep);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(position[0], 2);
}

TEST(ReferencePool, GradientsOfWindowsThatOverlapAddUp) {
  const OpCall call =
      make_call(kMaxPool2dBackward, Dims{1, 1, 3, 1, 1}, Dtype::Float64, Attributes{1, 0});
  const std::array<std::int32_t, 3> position{1, 1, 2};
  const std::array<double, 3> dy{5, 6, 7};
  std::array<double, 3> dx{};
  max_pool2d_backward<double>(call, position.data(), dy.data(), dx.data(), kNoStep);
  EXPECT_EQ(dx, (std::array<double, 3>{0, 11, 7}));
}

TEST(ReferencePool, PaddingCountsAsZerosInAMeanByHand) {
  const OpCall call = make_call(kAvgPool2d, Dims{1, 2, 2, 1, 2}, Dtype::Float64, Attributes{2, 1});
  const std::array<double, 4> x{4, 8, 12, 16};
  std::array<double, 4> y{};
  avg_pool2d<double>(call, x.data(), y.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 4>{1, 2, 3, 4}));
  std::array<double, 4> dx{};
  avg_pool2d_backward<double>(call, x.data(), dx.data(), kNoStep);
  EXPECT_EQ(dx, (std::array<double, 4>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace siliconprof::reference
