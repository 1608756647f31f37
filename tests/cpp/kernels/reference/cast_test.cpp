#include "siliconprof/kernels/reference/cast.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/cast.h"
#include "siliconprof/ops/fill.h"

namespace siliconprof::reference {
namespace {

const auto kStep = [](std::int64_t) {};

TEST(ReferenceCast, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {0, 1, 17}) {
    for (const char* op :
         {"cast_float64", "cast_float32", "cast_float16", "cast_bfloat16", "fill"}) {
      prove_op(op, {{"n", n}}, {});
    }
  }
}

template <class To>
To rounded(double x) {
  const std::array<std::int64_t, 1> dims{1};
  To y{};
  cast<double>(make_call(kCastFloat16, dims, Dtype::Float64, {}), &x, &y, kStep);
  return y;
}

// 1 + 2^-11 lies between two float16 numbers: what is added decides, however little it is.
TEST(ReferenceCast, Float64IsRoundedOnceToNearestEven) {
  EXPECT_EQ(float(rounded<float16>(1.0 + 0x1p-11)), 1.0F);
  EXPECT_EQ(float(rounded<float16>(1.0 + 0x1p-11 + 0x1p-50)), 1.0F + 0x1p-10F);
  EXPECT_EQ(float(rounded<float16>(1.0 + 0x3p-11 - 0x1p-50)), 1.0F + 0x1p-10F);
  EXPECT_EQ(float(rounded<float16>(-1.0 - 0x1p-11 - 0x1p-50)), -1.0F - 0x1p-10F);
  EXPECT_EQ(float(rounded<bfloat16>(1.0 + 0x1p-8)), 1.0F);
  EXPECT_EQ(float(rounded<bfloat16>(1.0 + 0x1p-8 + 0x1p-50)), 1.0F + 0x1p-7F);
  EXPECT_EQ(rounded<float>(0.1), 0.1F);
}

TEST(ReferenceCast, WhatIsTooLargeOrTooSmallOrNoNumberStaysSo) {
  EXPECT_EQ(float(rounded<float16>(1e300)), INFINITY);
  EXPECT_EQ(float(rounded<float16>(-65520.0)), -INFINITY);
  EXPECT_EQ(float(rounded<float16>(65519.99)), 65504.0F);
  EXPECT_EQ(float(rounded<bfloat16>(3.5e38)), INFINITY);
  EXPECT_EQ(float(rounded<float16>(0x1p-25)), 0.0F);
  EXPECT_EQ(float(rounded<float16>(0x1p-25 + 0x1p-70)), 0x1p-24F);
  EXPECT_EQ(float(rounded<bfloat16>(1e-300)), 0.0F);
  EXPECT_TRUE(std::signbit(float(rounded<float16>(-1e-300))));
  EXPECT_TRUE(std::isnan(float(rounded<float16>(std::nan("")))));
  EXPECT_TRUE(std::isnan(float(rounded<bfloat16>(std::nan("")))));
  EXPECT_EQ(float(rounded<float16>(INFINITY)), INFINITY);
}

TEST(ReferenceCast, FillWritesTheValueEverywhere) {
  const std::array<std::int64_t, 1> dims{3};
  const std::array<double, 1> value{2.5};
  std::array<float16, 3> y{};
  fill<float>(make_call(kFill, dims, Dtype::Float16, value), y.data(), kStep);
  for (const float16 v : y) EXPECT_EQ(float(v), 2.5F);
}

}  // namespace
}  // namespace siliconprof::reference
