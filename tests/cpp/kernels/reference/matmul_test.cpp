#include "siliconprof/kernels/reference/matmul.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/core/half.h"
#include "siliconprof/ops/matmul.h"

namespace siliconprof::reference {
namespace {

const auto kNoStep = [](std::int64_t) {};

OpCall call_of(std::int64_t batch, std::int64_t m, std::int64_t k, std::int64_t n,
               std::array<double, 2> transposes) {
  return make_call(kMatmul, std::array{batch, m, k, n}, Dtype::Float64, transposes);
}

TEST(ReferenceMatmul, CostIsWhatTheDefinitionTakes) {
  for (const double ta : {0.0, 1.0}) {
    for (const double tb : {0.0, 1.0}) {
      for (const auto& [b, m, k, n] :
           {std::array<std::int64_t, 4>{1, 1, 1, 1}, std::array<std::int64_t, 4>{3, 2, 5, 4},
            std::array<std::int64_t, 4>{1, 7, 1, 3}, std::array<std::int64_t, 4>{2, 1, 6, 1}}) {
        prove_op("matmul", {{"batch", b}, {"m", m}, {"k", k}, {"n", n}},
                 {{"transpose_a", ta}, {"transpose_b", tb}});
      }
    }
  }
}

TEST(ReferenceMatmul, MultipliesAndAddsEquallyOften) {
  OperationCounts counts;
  std::vector<CountingScalar> a(6, CountingScalar(1.0, &counts));
  std::vector<CountingScalar> b(12, CountingScalar(1.0, &counts));
  std::vector<CountingScalar> c(8);
  matmul<CountingScalar>(call_of(1, 2, 3, 4, {0, 0}), a.data(), b.data(), c.data(), kNoStep);
  EXPECT_EQ(counts.multiplications, 24);
  EXPECT_EQ(counts.additions, 24);
}

TEST(ReferenceMatmul, MultipliesByHand) {
  // [1 2; 3 4; 5 6] · [7 8; 9 10] by hand, in all four storages.
  const std::array<double, 6> a{1, 2, 3, 4, 5, 6};
  const std::array<double, 6> at{1, 3, 5, 2, 4, 6};
  const std::array<double, 4> b{7, 8, 9, 10};
  const std::array<double, 4> bt{7, 9, 8, 10};
  const std::array<double, 6> expected{25, 28, 57, 64, 89, 100};
  for (const double ta : {0.0, 1.0}) {
    for (const double tb : {0.0, 1.0}) {
      std::array<double, 6> c{};
      matmul<double>(call_of(1, 3, 2, 2, {ta, tb}), ta != 0 ? at.data() : a.data(),
                     tb != 0 ? bt.data() : b.data(), c.data(), kNoStep);
      EXPECT_EQ(c, expected);
    }
  }
}

TEST(ReferenceMatmul, EachMatrixOfABatchIsItsOwn) {
  const std::array<double, 2> a{2, 3};
  const std::array<double, 4> b{1, 10, 100, 1000};
  std::array<double, 4> c{};
  matmul<double>(call_of(2, 1, 1, 2, {0, 0}), a.data(), b.data(), c.data(), kNoStep);
  EXPECT_EQ(c, (std::array<double, 4>{2, 20, 300, 3000}));
}

TEST(ReferenceMatmul, HalvesAreSummedInFloat) {
  // 2048 + 1 is not a float16: summed in float16, the ones would be lost one by one.
  std::array<float16, 5> a{};
  a.fill(float16(1.0F));
  const std::array<float16, 5> b{float16(2048.0F), float16(1.0F), float16(1.0F), float16(1.0F),
                                 float16(1.0F)};
  std::array<float16, 1> c{};
  matmul<float>(call_of(1, 1, 5, 1, {0, 0}), a.data(), b.data(), c.data(), kNoStep);
  EXPECT_EQ(float(c[0]), 2052.0F);
}

TEST(ReferenceMatmul, StepsAddUpToAllProducts) {
  std::array<double, 6> a{};
  std::array<double, 12> b{};
  std::array<double, 8> c{};
  std::int64_t steps = 0;
  matmul<double>(call_of(1, 2, 3, 4, {0, 0}), a.data(), b.data(), c.data(),
                 [&](std::int64_t n) { steps += n; });
  EXPECT_EQ(steps, 24);
}

}  // namespace
}  // namespace siliconprof::reference
