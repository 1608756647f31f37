#include "siliconprof/kernels/cpu/gemm_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "siliconprof/core/tensor.h"
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
                   random() % 2 == 0, random() % 2 == 0, 1 + int(random() % 9));
  }
}

TEST(GemmProduct, DeepWideTallAndManyOnesAreExact) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      expect_product({1, 5, 40001, 9}, ta, tb, true, 2);     // terms in parts
      expect_product({1, 150, 4101, 130}, ta, tb, true, 2);  // the same, A brought together
      expect_product({1, 120, 300, 3000}, ta, tb, true, 2);  // A stays for all groups of panels
      expect_product({1, 30, 2100, 300}, ta, tb, true, 2);   // columns shared, depth in blocks
      expect_product({1, 300, 2100, 20}, ta, tb, true, 2);   // rows shared, depth in blocks
      expect_product({1, 4200, 64, 200}, ta, tb, true, 2);   // rows in strips
      expect_product({1, 300, 600, 700}, ta, tb, true, 4);   // cells in turns
      expect_product({70, 9, 17, 33}, ta, tb, false, 3);     // whole products shared
      expect_product({1, 64, 1024, 32}, ta, tb, false, 2);   // rows a page apart
      expect_product({1, 40, 1024, 200}, ta, tb, true, 2);   // the same in panels
      expect_product({1, 500, 600, 70}, ta, tb, true, 3);    // more rows than tiles in turn
      expect_product({1, 40, 1100, 1201}, ta, tb, true, 2);  // in groups of panels as well
      expect_product({1, 230, 110, 1201}, ta, tb, true, 2);  // wide, of many rows
      expect_product({1, 3100, 20, 3200}, ta, tb, true, 2);  // of more
      expect_product({1, 230, 1, 112}, ta, tb, true, 2);     // B's own row, rows of A together
      expect_product({1, 1, 300, 96}, ta, tb, true, 2);      // B's own rows for one row
      expect_product({1, 14, 1100, 256}, ta, tb, true, 2);   // for a tile, depth in blocks
      expect_product({1, 75, 300, 272}, ta, tb, true, 3);    // for several, of unequal rows
      expect_product({1, 9, 2100, 640}, ta, tb, true, 2);    // B beyond a core's cache, in order
      expect_product({1, 30, 2100, 640}, ta, tb, true, 2);   // in panels after all
      expect_product({1, 1300, 1100, 20}, ta, tb, true, 2);  // A beyond it
      expect_product({1, 101, 300, 5}, ta, tb, true, 3);     // few columns: dot products
      expect_product({1, 30, 140, 11}, ta, tb, true, 2);     // more than a tile of them has
      expect_product({3, 9, 77, 301}, ta, tb, false, 2);     // few rows
    }
  }
}

/// What products of numbers between -1 and 1 come to, bit by bit.
template <class T>
std::vector<T> products_of(const Sizes& s, bool transpose_a, int threads, bool transpose_b = true) {
  const OpCall call = make_call(find_op("copy"), std::vector<std::int64_t>{1}, Dtype::Float32, {});
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> a(std::size_t(s.batch * s.m * s.k));
  std::vector<T> b(std::size_t(s.batch * s.k * s.n));
  for (T& value : a) value = T(uniform(random));
  for (T& value : b) value = T(uniform(random));
  std::vector<T> c(std::size_t(s.batch * s.m * s.n));
  const Poll poll;
  multiply_batch(
      KernelCall{call, {}, {}, threads, poll},
      GemmProduct<T>{s.m, s.k, s.n, a.data(), transpose_a ? 1 : s.k, transpose_a ? s.m : 1,
                     b.data(), transpose_b ? 1 : s.n, transpose_b ? s.k : 1, c.data(), s.n},
      s.batch);
  return c;
}

TEST(GemmProduct, AnyThreadCountGivesTheSameBits) {
  for (const bool transpose_a : {false, true}) {
    for (const Sizes& sizes :
         {Sizes{2, 64, 500, 2}, Sizes{2, 8, 40000, 40}, Sizes{3, 40, 1024, 70},
          Sizes{1, 250, 700, 130}, Sizes{1, 150, 4101, 130}, Sizes{1, 30, 700, 70},
          Sizes{1, 36, 480, 17},    // a share of one tile
          Sizes{1, 4200, 64, 200},  // strips, on two threads alone
          Sizes{1, 300, 600, 700},  // turns
          Sizes{1, 1010, 300, 5}, Sizes{1, 900, 140, 11}, Sizes{1, 7, 300, 1001}}) {
      const std::vector<float> one = products_of<float>(sizes, transpose_a, 1);
      const std::vector<double> wide = products_of<double>(sizes, transpose_a, 1);
      for (const int threads : {2, 3, 9, 16}) {
        EXPECT_EQ(products_of<float>(sizes, transpose_a, threads), one)
            << threads << " " << sizes.k;
        EXPECT_EQ(products_of<double>(sizes, transpose_a, threads), wide);
      }
      for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(double(one[i]), wide[i], 0.02);
    }
  }
}

TEST(GemmProduct, PastTheCachesAreTheSameBits) {
  const OpCall call = make_call(find_op("copy"), std::vector<std::int64_t>{1}, Dtype::Float32, {});
  const Poll poll;
  // What says how much there is to keep near.
  const std::array<TensorView, 1> much{
      TensorView{nullptr, Dtype::Float32, Shape{std::int64_t{1} << 40}}};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  // Rows that fill no turn of tiles; one panel, or several.
  for (const auto& [m, n] :
       {std::pair<std::int64_t, std::int64_t>{250, 96}, {14, 32}, {100, 400}}) {
    constexpr std::int64_t k = 70;
    const Tensor near(Dtype::Float32, Shape{m, n});
    const Tensor past(Dtype::Float32, Shape{m, n});
    std::vector<float> a(std::size_t(m * k));
    std::vector<float> b(std::size_t(k * n));
    for (float& value : a) value = uniform(random);
    for (float& value : b) value = uniform(random);
    for (const bool transpose_a : {false, true}) {
      const auto multiply_to = [&](const Tensor& c, std::span<const TensorView> inputs) {
        std::memset(c.view().data, 0, std::size_t(c.view().bytes()));
        multiply(KernelCall{call, inputs, {}, 2, poll},
                 GemmProduct<float>{m, k, n, a.data(), transpose_a ? 1 : k, transpose_a ? m : 1,
                                    b.data(), n, 1, c.view().as<float>(), n});
      };
      multiply_to(near, {});
      multiply_to(past, much);
      EXPECT_EQ(std::memcmp(near.view().data, past.view().data, std::size_t(near.view().bytes())),
                0)
          << m << "x" << n;
    }
  }
}

TEST(GemmProduct, AnyThreadCountGivesTheSameBitsWhereBIsReadWhereItLies) {
  for (const bool transpose_a : {false, true}) {
    for (const Sizes& sizes :
         {Sizes{1, 75, 2100, 272}, Sizes{1, 9, 1100, 400}, Sizes{1, 1, 300, 96},
          Sizes{3, 5, 300, 32}, Sizes{1, 9, 2100, 640},  // beyond a core's cache
          Sizes{1, 16, 6000, 96},                        // whose strips are one tile
          Sizes{1, 169, 1024, 640}, Sizes{1, 1300, 1100, 20}}) {
      const std::vector<float> one = products_of<float>(sizes, transpose_a, 1, false);
      for (const int threads : {2, 3, 9}) {
        EXPECT_EQ(products_of<float>(sizes, transpose_a, threads, false), one)
            << threads << " " << sizes.k;
      }
    }
  }
}

// On a thread that has no room yet, which the sanitizer sees the end of.
TEST(GemmProduct, PartsOfUnequalDepthHaveRoomOnAThreadOfTheirOwn) {
  for (const std::int64_t k : {4097, 4098, 4099, 33793}) {
    std::thread([k] {
      EXPECT_EQ(products_of<float>({1, 100, k, 130}, true, 1),
                products_of<float>({1, 100, k, 130}, true, 3));
    }).join();
  }
}

// No block of its depth is long enough to be polled in.
TEST(GemmProduct, APollThatThrowsStopsADeepOneWhoseRowsAreShared) {
  const OpCall call = make_call(find_op("copy"), std::vector<std::int64_t>{1}, Dtype::Float32, {});
  constexpr std::int64_t m = 300;
  constexpr std::int64_t k = 32000;  // so that whoever helps leaves enough to the calling thread
  const std::vector<float> a(std::size_t(m * k), 1.0F);
  std::vector<float> c(std::size_t(m * m), 0.0F);
  const Poll stop = [] { throw 1; };
  const GemmProduct<float> product{m, k, m, a.data(), k, 1, a.data(), m, 1, c.data(), m};
  EXPECT_THROW(multiply(KernelCall{call, {}, {}, 2, stop}, product), int);
  EXPECT_LT(std::count(c.begin(), c.end(), float(k)), m * m) << "all of it was done";
}

TEST(GemmProduct, APollThatThrowsStopsWideAndTallOnes) {
  const OpCall call = make_call(find_op("copy"), std::vector<std::int64_t>{1}, Dtype::Float32, {});
  const Poll stop = [] { throw 1; };
  // 2.4 GFLOP and more.
  for (const Sizes& s :
       {Sizes{1, 100, 300, 40000}, Sizes{1, 40000, 300, 100}, Sizes{1, 400000, 64, 64}}) {
    const std::int64_t m = s.m;
    const std::int64_t k = s.k;
    const std::int64_t n = s.n;
    const std::vector<float> a(std::size_t(m * k), 1.0F);
    const std::vector<float> b(std::size_t(k * n), 1.0F);
    std::vector<float> c(std::size_t(m * n));
    const KernelCall stopped{call, {}, {}, 1, stop};
    const GemmProduct<float> product{m, k, n, a.data(), k, 1, b.data(), n, 1, c.data(), n};
    EXPECT_THROW(multiply(stopped, product), int);
    EXPECT_NE(std::count(c.begin(), c.end(), 0.0F), 0) << "all of it was done";
  }
}

}  // namespace
}  // namespace siliconprof::cpu
