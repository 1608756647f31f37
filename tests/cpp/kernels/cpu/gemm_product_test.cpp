#include "siliconprof/kernels/cpu/gemm_product.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "siliconprof/ops/table.h"

namespace siliconprof::cpu {
namespace {

struct Sizes {
  std::int64_t batch;
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
};

/// Small whole numbers: float32 sums of them are exact in any order.
std::vector<float> whole_numbers(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> values(std::size_t(n) + 1);
  for (float& value : values) value = float(int(random() % 5) - 2);
  return values;
}

void expect_product(const Sizes& s, bool transpose_a, bool transpose_b, bool with_bias,
                    int threads) {
  const OpCall call = make_call(find_op("copy"), std::vector<std::int64_t>{1}, Dtype::Float32, {});
  const std::vector<float> a = whole_numbers(s.batch * s.m * s.k, 1);
  const std::vector<float> b = whole_numbers(s.batch * s.k * s.n, 2);
  const std::vector<float> bias = whole_numbers(s.n, 3);
  std::vector<float> c(std::size_t(s.batch * s.m * s.n) + 1, 77.0F);
  const Poll poll;
  multiply_batch(
      KernelCall{call, {}, {}, threads, poll},
      GemmProduct<float>{s.m, s.k, s.n, a.data(), transpose_a ? 1 : s.k, transpose_a ? s.m : 1,
                         b.data(), transpose_b ? 1 : s.n, transpose_b ? s.k : 1, c.data(), s.n,
                         with_bias ? bias.data() : nullptr},
      s.batch);
  for (std::int64_t p = 0; p < s.batch; ++p) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j < s.n; ++j) {
        double sum = with_bias ? double(bias[std::size_t(j)]) : 0.0;
        for (std::int64_t l = 0; l < s.k; ++l) {
          const std::int64_t in_a = p * s.m * s.k + (transpose_a ? l * s.m + i : i * s.k + l);
          const std::int64_t in_b = p * s.k * s.n + (transpose_b ? j * s.k + l : l * s.n + j);
          sum += double(a[std::size_t(in_a)]) * double(b[std::size_t(in_b)]);
        }
        ASSERT_EQ(double(c[std::size_t((p * s.m + i) * s.n + j)]), sum)
            << s.batch << "x" << s.m << "x" << s.k << "x" << s.n << " at " << p << " " << i << " "
            << j;
      }
    }
  }
  EXPECT_EQ(c.back(), 77.0F);
}

TEST(GemmProduct, IsExactForWholeNumbersInAllStorages) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 150; ++i) {
    const auto size = [&](std::uint64_t most) { return std::int64_t(random() % most); };
    expect_product({1 + size(4), size(50), size(90), size(120)}, random() % 2 == 0,
                   random() % 2 == 0, random() % 2 == 0, 1 + int(random() % 3));
  }
}

TEST(GemmProduct, DeepWideTallAndManyOnesAreExact) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      expect_product({1, 5, 40001, 9}, ta, tb, true, 2);    // terms in parts
      expect_product({1, 20, 2100, 300}, ta, tb, true, 2);  // columns shared, depth in blocks
      expect_product({1, 300, 2100, 20}, ta, tb, true, 2);  // rows shared, depth in blocks
      expect_product({70, 9, 17, 33}, ta, tb, false, 3);    // whole products shared
      expect_product({1, 64, 1024, 32}, ta, tb, false, 2);  // rows a page apart
      expect_product({1, 40, 1024, 200}, ta, tb, true, 2);  // and brought together, in blocks
      expect_product({1, 500, 600, 70}, ta, tb, true, 3);   // more rows than tiles in turn
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
