#include "siliconprof/kernels/reference/rearrangement.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/concat.h"
#include "siliconprof/ops/slice.h"
#include "siliconprof/ops/transpose.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 4>;

const auto kStep = [](std::int64_t) {};
constexpr std::array<double, 8> kX{1, 2, 3, 4, 5, 6, 7, 8};

TEST(ReferenceRearrangement, CostIsWhatTheDefinitionTakes) {
  for (const auto& [a, b, c, d] :
       {Dims{1, 1, 1, 1}, {2, 3, 5, 4}, {3, 1, 4, 1}, {0, 2, 2, 2}, {2, 0, 3, 2}, {2, 3, 3, 0}}) {
    prove_op("concat", {{"outer", a}, {"first", b}, {"second", c}, {"inner", d}}, {});
    prove_op("transpose", {{"outer", a}, {"m", b}, {"n", c}, {"inner", d}}, {});
    prove_op("slice", {{"outer", a}, {"size", b + c}, {"length", b}, {"inner", d}},
             {{"begin", double(c)}});
  }
}

TEST(ReferenceRearrangement, ConcatAlternatesByHand) {
  const std::array<double, 4> b{10, 20, 30, 40};
  std::array<double, 12> y{};
  concat(make_call(kConcat, Dims{2, 2, 1, 2}, Dtype::Float64, {}), kX.data(), b.data(), y.data(),
         kStep);
  EXPECT_EQ(y, (std::array<double, 12>{1, 2, 3, 4, 10, 20, 5, 6, 7, 8, 30, 40}));
}

TEST(ReferenceRearrangement, SliceAndItsSlopeByHand) {
  const std::array<double, 1> begin{1};
  std::array<double, 4> y{};
  slice(make_call(kSlice, Dims{2, 4, 2, 1}, Dtype::Float64, begin), kX.data(), y.data(), kStep);
  EXPECT_EQ(y, (std::array<double, 4>{2, 3, 6, 7}));
  std::array<double, 8> dx{};
  dx.fill(99);
  slice_backward<double>(make_call(kSliceBackward, Dims{2, 4, 2, 1}, Dtype::Float64, begin),
                         y.data(), dx.data(), kStep);
  EXPECT_EQ(dx, (std::array<double, 8>{0, 2, 3, 0, 0, 6, 7, 0}));
}

TEST(ReferenceRearrangement, TransposeKeepsTheInnerRunsByHand) {
  std::array<double, 8> y{};
  transpose(make_call(kTranspose, Dims{1, 2, 2, 2}, Dtype::Float64, {}), kX.data(), y.data(),
            kStep);
  EXPECT_EQ(y, (std::array<double, 8>{1, 2, 5, 6, 3, 4, 7, 8}));
}

}  // namespace
}  // namespace siliconprof::reference
