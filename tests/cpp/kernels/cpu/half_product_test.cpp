#include "siliconprof/kernels/cpu/half_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/half_plan.h"

namespace siliconprof::cpu {
namespace {

/// Operands uniform in [-1, 1), and how they are stored.
struct Operands {
  OpCall call;
  std::int64_t m, k, n;
  bool transpose_a, transpose_b;
  Tensor a, b, bias;

  Operands(Dtype dtype, std::array<std::int64_t, 3> sizes, bool of_a, bool of_b, std::uint64_t seed)
      : call(make_call(find_op("matmul"), std::array{std::int64_t{1}, sizes[0], sizes[1], sizes[2]},
                       dtype, std::array{double(of_a), double(of_b)})),
        m(sizes[0]),
        k(sizes[1]),
        n(sizes[2]),
        transpose_a(of_a),
        transpose_b(of_b),
        a(dtype, Shape{m * k}),
        b(dtype, Shape{k * n}),
        bias(dtype, Shape{n}) {
    a.fill_uniform(seed);
    b.fill_uniform(seed + 1);
    bias.fill_uniform(seed + 2);
  }

  HalfProduct product(bool with_bias, const Tensor& c) const {
    return {.dtype = call.dtype,
            .m = m,
            .k = k,
            .n = n,
            .a = a.view().as<const std::uint16_t>(),
            .a_row = transpose_a ? 1 : k,
            .a_column = transpose_a ? m : 1,
            .b = b.view().as<const std::uint16_t>(),
            .b_row = transpose_b ? 1 : n,
            .b_column = transpose_b ? k : 1,
            .c = c.view().as<std::uint16_t>(),
            .bias = with_bias ? bias.view().as<const std::uint16_t>() : nullptr};
  }

  std::string text(const HalfMachine& machine, int threads) const {
    return to_string(call) + " transposed " + std::to_string(transpose_a) +
           std::to_string(transpose_b) + " threads " + std::to_string(threads) + " " +
           std::string(machine.panels->instruction_set) + " " +
           std::string(machine.tiles->instruction_set);
  }
};

/// One element more than C has, which stays as it is.
Tensor multiplied(const Operands& o, const HalfMachine& machine, int threads, bool with_bias,
                  const Poll& poll = {}) {
  Tensor c(o.call.dtype, Shape{o.m * o.n + 1});
  std::memset(c.view().data, 0x5a, std::size_t(c.view().bytes()));
  EXPECT_TRUE(multiply_halves({o.call, {}, {}, threads, poll}, o.product(with_bias, c), machine));
  EXPECT_EQ(c.view().as<std::uint16_t>()[o.m * o.n], 0x5a5a) << "written past C";
  return c;
}

/// Each element within γ(k + 2)·Σ|terms| of the sum in float64, and one rounding to its format;
/// of float16 each product is up to four terms. Of `rows` rows from the first to the last.
void expect_agrees(const Operands& o, const HalfMachine& machine, int threads, bool with_bias,
                   std::int64_t rows = std::numeric_limits<std::int64_t>::max()) {
  SCOPED_TRACE(o.text(machine, threads));
  const Values found = to_values(multiplied(o, machine, threads, with_bias).view());
  const Values a = to_values(o.a.view());
  const Values b = to_values(o.b.view());
  const Values bias = to_values(o.bias.view());
  const double terms = double((o.k + 2) * half_parts(o.call.dtype) * half_parts(o.call.dtype));
  const double u = unit_roundoff(o.call.dtype);
  rows = std::min(rows, o.m);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t i = rows == 1 ? 0 : row * (o.m - 1) / (rows - 1);
    for (std::int64_t j = 0; j < o.n; ++j) {
      double exact = with_bias ? bias[std::size_t(j)] : 0.0;
      double size = std::abs(exact);
      for (std::int64_t l = 0; l < o.k; ++l) {
        const double term = a[std::size_t(o.transpose_a ? l * o.m + i : i * o.k + l)] *
                            b[std::size_t(o.transpose_b ? j * o.k + l : l * o.n + j)];
        exact += term;
        size += std::abs(term);
      }
      const double error = terms * 0x1p-24 * size;
      ASSERT_LE(std::abs(found[std::size_t(i * o.n + j)] - exact),
                error + u * (std::abs(exact) + error) + underflow(o.call.dtype))
          << i << " " << j;
    }
  }
}

void expect_all_machines_agree(Dtype dtype, std::array<std::int64_t, 3> sizes, std::uint64_t seed,
                               int threads) {
  const Operands o(dtype, sizes, seed % 2 == 0, seed / 2 % 2 == 0, seed);
  for (const HalfMachine& machine : runnable_half_machines()) {
    expect_agrees(o, machine, threads, seed / 4 % 2 == 0);
  }
}

TEST(HalfProduct, AgreesForRandomShapesStoragesAndThreads) {
  std::mt19937_64 random(40);
  for (int i = 0; i < 150; ++i) {
    const auto size = [&] {
      return std::int64_t(random() % 4 == 0 ? random() % 3 : random() % 100);
    };
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      expect_all_machines_agree(dtype, {size(), size(), size()}, random(), 1 + int(random() % 4));
    }
  }
}

// Several turns of terms, several groups of rows, few rows of many columns.
TEST(HalfProduct, AgreesForDeepTallAndWideShapes) {
  std::uint64_t seed = 0;
  for (const std::array<std::int64_t, 3> sizes :
       {std::array<std::int64_t, 3>{33, 4500, 40}, {40, 4097, 3}, {700, 530, 20}, {2, 64, 900}}) {
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      for (int i = 0; i < 4; ++i) expect_all_machines_agree(dtype, sizes, ++seed, 3);
    }
  }
}

TEST(HalfProduct, AnyThreadCountGivesTheSameBits) {
  for (const HalfMachine& machine : runnable_half_machines()) {
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      const Operands o(dtype, {210, 4100, 90}, false, true, 8);
      const Tensor one = multiplied(o, machine, 1, true);
      for (const int threads : {2, 3, 7, 16}) {
        const Tensor more = multiplied(o, machine, threads, true);
        EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())),
                  0)
            << o.text(machine, threads);
      }
    }
  }
}

TEST(HalfProduct, InBfloat16NanAndInfinityStayInPlace) {
  for (const HalfMachine& machine : runnable_half_machines()) {
    const Operands o(Dtype::BFloat16, {40, 70, 50}, false, false, 3);
    set(o.a, 4 * 70 + 69, std::numeric_limits<double>::quiet_NaN());
    set(o.b, 3 * 50 + 48, std::numeric_limits<double>::infinity());
    const Values c = to_values(multiplied(o, machine, 2, false).view());
    for (std::int64_t i = 0; i < 40; ++i) {
      for (std::int64_t j = 0; j < 50; ++j) {
        const double value = c[std::size_t(i * 50 + j)];
        EXPECT_EQ(std::isnan(value), i == 4) << i << " " << j;
        EXPECT_EQ(std::isinf(value), i != 4 && j == 48) << i << " " << j;
      }
    }
  }
}

TEST(HalfProduct, Float16ThatIsNoNumberIsLeftToOthers) {
  for (const HalfMachine& machine : runnable_half_machines()) {
    for (const bool in_a : {true, false}) {
      for (const double value :
           {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        const Operands o(Dtype::Float16, {40, 70, 50}, false, false, 3);
        set(in_a ? o.a : o.b, 1999, value);
        const Tensor c(Dtype::Float16, Shape{2000});
        const Poll none;
        EXPECT_FALSE(multiply_halves({o.call, {}, {}, 2, none}, o.product(false, c), machine));
      }
    }
  }
}

// 65504² overflows float16, and 2⁻²⁴, the smallest, is subnormal there.
TEST(HalfProduct, ProductsOfTheLargestAndSmallestFloat16AreExact) {
  for (const HalfMachine& machine : runnable_half_machines()) {
    const Operands o(Dtype::Float16, {1, 3, 1}, false, false, 3);
    const auto product = [&](std::array<double, 3> a, std::array<double, 3> b) {
      for (std::int64_t i = 0; i < 3; ++i) {
        set(o.a, i, a[std::size_t(i)]);
        set(o.b, i, b[std::size_t(i)]);
      }
      return to_values(multiplied(o, machine, 1, false).view())[0];
    };
    EXPECT_EQ(product({65504, 65504, 0}, {65504, -65504, 0}), 0);
    EXPECT_EQ(product({0x1p-24, 0, 0x1p-24}, {1, 5, 2}), 0x3p-24);
    EXPECT_EQ(product({65504, 65504, 0}, {1, 1, 0}), std::numeric_limits<double>::infinity());
    EXPECT_EQ(product({1 + 0x1p-10, 1, 1}, {1 + 0x1p-10, -1, -0x1p-9}), 0x1p-20);
  }
}

TEST(HalfProduct, APollBetweenTurnsOfTermsCanStopIt) {
  const Operands o(Dtype::BFloat16, {3, 9000, 5}, false, false, 3);
  const HalfMachine machine = runnable_half_machines().front();
  int polls = 0;
  multiplied(o, machine, 1, false, [&polls] { ++polls; });
  EXPECT_EQ(polls, 2);
  EXPECT_THROW(multiplied(o, machine, 1, false, [] { throw Interrupted(); }), Interrupted);
}

/// What a product takes where there are tiles, whether this CPU has them or not.
HalfMachine tiles_machine() {
  static const HalfTileKernels tiles{"amx", 16, nullptr, nullptr, nullptr};
  return {runnable_half_panels().front(), &tiles};
}

// Two chunks of 2,080 terms, of which 1,024 are packed at once: 2 panels of rows and 3 of columns,
// of 32 steps of 2 KiB; each of two threads has a chunk.
TEST(HalfProduct, ScratchIsPanelsOfATurnAndSumsThatWait) {
  const Tensor c(Dtype::BFloat16, Shape{1});
  const Operands o(Dtype::BFloat16, {40, 4100, 70}, false, false, 3);
  const HalfScratch scratch = half_scratch(o.product(false, c), tiles_machine(), 1);
  EXPECT_EQ(scratch.panels, (ScratchBytes{(2 + 3) * 32 * 2048, 0}));
  EXPECT_EQ(scratch.sums_bytes, 2 * (2 * 3 * 4096));
  EXPECT_EQ(half_scratch(o.product(false, c), tiles_machine(), 2).panels,
            (ScratchBytes{(2 + 3) * 32 * 2048, (2 + 3) * 32 * 2048}));
  const Operands shallow(Dtype::Float16, {40, 33, 70}, false, false, 3);
  const HalfScratch less = half_scratch(shallow.product(false, c), tiles_machine(), 2);
  EXPECT_EQ(less.panels, (ScratchBytes{(2 + 3) * 2 * 2 * 2048, 0}));
  EXPECT_EQ(less.sums_bytes, 0);
}

// Of 1,024 panels of columns of 4,096 terms 32 at a time, of 4 of rows two groups.
TEST(HalfProduct, OfALargeOneAThreadPacksAPartAtATime) {
  const HalfProduct large{Dtype::BFloat16, 128,   4096, 32768,  nullptr, 4096, 1,
                          nullptr,         32768, 1,    nullptr};
  EXPECT_EQ(half_scratch(large, tiles_machine(), 1).panels,
            (ScratchBytes{(2 + 32) * 128 * 2048, 0}));
  for (const HalfMachine& machine : runnable_half_machines()) {
    if (machine.panels->instruction_set == "generic") continue;  // takes long
    expect_agrees(Operands(Dtype::BFloat16, {150, 2000, 2150}, false, true, 5), machine, 1, true,
                  70);
    // Rows that stay for all columns, and such as make room for further terms.
    expect_agrees(Operands(Dtype::BFloat16, {40, 2000, 2150}, false, true, 5), machine, 1, true, 8);
    expect_agrees(Operands(Dtype::BFloat16, {40, 4100, 4200}, false, true, 5), machine, 1, true, 4);
  }
}

// Of three users among seven threads, the caller one of them.
TEST(HalfProduct, ScratchCountsThreadsThatTakeSome) {
  EXPECT_EQ(shared_bytes(600, 3, 7), (ScratchBytes{600, 200}));
  EXPECT_EQ(shared_bytes(600, 1, 1), (ScratchBytes{600, 0}));
  EXPECT_EQ(shared_bytes(600, 9, 7), (ScratchBytes{600, 600}));  // one after the other
}

// 40 x 410 x 70 is worth one thread to tiles of 16 times float32's pace, 4 threads to slower ones.
TEST(HalfProduct, SlowerTilesAreSharedByMoreThreads) {
  const Tensor c(Dtype::BFloat16, Shape{1});
  const Operands o(Dtype::BFloat16, {40, 410, 70}, false, false, 3);
  const HalfTileKernels slower{"avx512_bf16", 2, nullptr, nullptr, nullptr};
  const HalfMachine machine{runnable_half_panels().front(), &slower};
  EXPECT_EQ(half_scratch(o.product(false, c), tiles_machine(), 4).panels.other, 0);
  EXPECT_GT(half_scratch(o.product(false, c), machine, 4).panels.other, 0);
}

// 2,048 rows a thread: the rest are multiplied after them.
TEST(HalfProduct, OfATallDeepOneNoMoreSumsWaitThanOfItsFirstRows) {
  const Tensor c(Dtype::BFloat16, Shape{1});
  const Operands o(Dtype::BFloat16, {2100, 4100, 1000}, true, false, 3);
  EXPECT_EQ(half_scratch(o.product(false, c), tiles_machine(), 1).sums_bytes,
            2048 / 32 * 32 * 4096);
  for (const HalfMachine& machine : runnable_half_machines()) {
    if (machine.panels->instruction_set == "generic" || machine.tiles->instruction_set == "generic")
      continue;  // takes long
    expect_agrees(o, machine, 1, true, 8);
  }
  const Operands narrow(Dtype::BFloat16, {2100, 4100, 2}, true, false, 3);  // in chunks, too
  for (const HalfMachine& machine : runnable_half_machines()) {
    expect_agrees(narrow, machine, 1, true);
  }
}

// Few tiles of 9,000 terms: four chunks of them, each in three turns. Of 16 threads four share one.
TEST(HalfProduct, ChunksOfTermsGiveTheSameBitsForAnyThreadCount) {
  for (const Dtype dtype : {Dtype::BFloat16, Dtype::Float16}) {
    const Operands o(dtype, {70, 9000, 300}, true, false, 3);
    EXPECT_EQ(chunks_of_terms(o.product(false, o.bias)), 4);
    const HalfMachine machine = runnable_half_machines().front();
    expect_agrees(o, machine, 2, true, 20);
    const Tensor one = multiplied(o, machine, 1, true);
    for (const int threads : {2, 3, 4, 6, 16, 17}) {
      const Tensor more = multiplied(o, machine, threads, true);
      EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())), 0)
          << threads;
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
