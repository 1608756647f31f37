#include "siliconprof/kernels/reference/matvec.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/core/half.h"
#include "siliconprof/ops/matvec.h"

namespace siliconprof::reference {
namespace {

const auto kNoStep = [](std::int64_t) {};

TEST(ReferenceMatvec, CostIsWhatTheDefinitionTakes) {
  for (const double transpose : {0.0, 1.0}) {
    for (const auto& [m, n] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {1, 9}, {8, 1}}) {
      prove_op("matvec", {{"m", m}, {"n", n}}, {{"transpose", transpose}});
    }
  }
}

TEST(ReferenceMatvec, MultipliesByHand) {
  const std::array<double, 6> a{1, 2, 3, 4, 5, 6};  // (2, 3)
  const std::array<double, 3> x{1, 10, 100};
  std::array<double, 2> y{};
  matvec<double>(
      make_call(kMatvec, std::array<std::int64_t, 2>{2, 3}, Dtype::Float64, std::array{0.0}),
      a.data(), x.data(), y.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 2>{321, 654}));
}

TEST(ReferenceMatvec, TransposeSumsOverRows) {
  const std::array<double, 6> a{1, 2, 3, 4, 5, 6};  // (2, 3)
  const std::array<double, 2> x{1, 10};
  std::array<double, 3> y{};
  matvec<double>(
      make_call(kMatvec, std::array<std::int64_t, 2>{2, 3}, Dtype::Float64, std::array{1.0}),
      a.data(), x.data(), y.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 3>{41, 52, 63}));
}

TEST(ReferenceMatvec, HalvesAreSummedInFloat) {
  // bfloat16 has 8 significant bits: 256 + 1 is lost there, and kept in float until the end.
  const std::array<bfloat16, 3> a{bfloat16(256.0F), bfloat16(1.0F), bfloat16(1.0F)};
  const std::array<bfloat16, 3> x{bfloat16(1.0F), bfloat16(1.0F), bfloat16(1.0F)};
  std::array<bfloat16, 1> y{};
  matvec<float>(
      make_call(kMatvec, std::array<std::int64_t, 2>{1, 3}, Dtype::BFloat16, std::array{0.0}),
      a.data(), x.data(), y.data(), kNoStep);
  EXPECT_EQ(float(y[0]), 258.0F);
}

}  // namespace
}  // namespace siliconprof::reference
