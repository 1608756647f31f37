#include "siliconprof/kernels/cpu/matmul.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_product.h"
#include "siliconprof/kernels/cpu/parallel.h"

namespace siliconprof::cpu {
namespace {

std::atomic<int> gemm_calls{0};
std::atomic<int> gemv_calls{0};
std::atomic<int> bfloat16_calls{0};

float widened(float value) { return value; }
double widened(double value) { return value; }
float widened(BFloat16Bits value) {
  bfloat16 element;
  std::memcpy(static_cast<void*>(&element), &value, sizeof value);
  return float(element);
}

template <class T, class Out>
void naive_gemm(const GemmCall<T, Out>& g) {
  ++gemm_calls;
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      Out sum = 0;
      for (std::int64_t l = 0; l < g.k; ++l) {
        sum += widened(g.a[g.transpose_a ? l * g.lda + i : i * g.lda + l]) *
               widened(g.b[g.transpose_b ? j * g.ldb + l : l * g.ldb + j]);
      }
      g.c[i * g.ldc + j] = sum;
    }
  }
}

template <class T>
void naive_gemv(const GemvCall<T>& g) {
  ++gemv_calls;
  const std::int64_t results = g.transpose ? g.n : g.m;
  const std::int64_t terms = g.transpose ? g.m : g.n;
  for (std::int64_t j = 0; j < results; ++j) {
    T sum = 0;
    for (std::int64_t l = 0; l < terms; ++l) {
      sum += g.x[l] * g.a[g.transpose ? l * g.lda + j : j * g.lda + l];
    }
    g.y[j] = sum;
  }
}

ProductFunctions naive_functions() {
  return {.gemm_float32 = naive_gemm<float, float>,
          .gemm_float64 = naive_gemm<double, double>,
          .gemv_float32 = naive_gemv<float>,
          .gemv_float64 = naive_gemv<double>};
}

Tensor multiply(const ProductFunctions& functions, const Example& example, int threads,
                decltype(run_matmul)* run = run_matmul) {
  const Poll poll;
  Tensor output(example.call.dtype, example.call.op->signature(example.call).outputs[0].shape);
  const std::array inputs{example.inputs[0].view(), example.inputs[1].view()};
  const std::array outputs{output.view()};
  gemm_calls = 0;
  gemv_calls = 0;
  bfloat16_calls = 0;
  run(functions, {example.call, inputs, outputs, threads, poll});
  return output;
}

TEST(Matmul, ALongProductIsCutIntoPanelsWithAPollAfterEach) {
  // A row is 2·10000·5000 = 10⁸ flops, which count twice in float64; the first panel is cut for
  // 20·10⁹ a second, 2·10⁹ a piece: 10 rows.
  static std::vector<std::pair<std::int64_t, std::int64_t>> panels;  // first element of A, rows
  for (const double transpose : {0.0, 1.0}) {
    const OpCall call =
        make_call(find_op("matmul"), std::array<std::int64_t, 4>{1, 1100, 10000, 5000},
                  Dtype::Float64, std::array{transpose, 0.0});
    const Signature signature = call.op->signature(call);
    // Nothing below touches memory, so an address alone will do.
    static double somewhere = 0.0;
    const std::array inputs{TensorView{&somewhere, Dtype::Float64, signature.inputs[0].shape},
                            TensorView{&somewhere, Dtype::Float64, signature.inputs[1].shape}};
    const std::array outputs{TensorView{&somewhere, Dtype::Float64, signature.outputs[0].shape}};
    ProductFunctions functions = naive_functions();
    functions.gemm_float64 = [](const GemmCall<double>& g) {
      panels.emplace_back(g.a - &somewhere, g.m);
    };
    int polls = 0;
    const Poll poll = [&polls] { ++polls; };
    panels.clear();
    // A thread of its own has measured nothing yet.
    std::thread([&] { multiply_by_library(functions, {call, inputs, outputs, 1, poll}); }).join();
    const std::int64_t row = transpose != 0 ? 1 : 10000;
    ASSERT_GE(panels.size(), 2U);
    EXPECT_EQ(panels.front().second, 10);
    std::int64_t next = 0;
    for (const auto& [first, rows] : panels) {
      EXPECT_EQ(first, next * row);
      next += rows;
    }
    EXPECT_EQ(next, 1100);
    EXPECT_EQ(polls, int(panels.size()));
  }
}

// 4200 rows on one thread: three parts of at most 2048.
TEST(Matmul, ATallProductGoesToTheLibraryInPartsThatItCopiesLittleOf) {
  const Example example("matmul", {1, 4200, 1401, 65}, Dtype::Float32, {1.0, 0.0}, 4);
  // A thread of its own has measured nothing yet.
  std::thread([&] { multiply(naive_functions(), example, 1, multiply_by_library); }).join();
  EXPECT_GE(gemm_calls, 3);
}

OpCall product(std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a) {
  return make_call(find_op("matmul"), std::array<std::int64_t, 4>{1, m, k, n}, Dtype::Float32,
                   std::array{double(transpose_a), 0.0});
}

TEST(Matmul, WhatOpenBlasCopiesIsBoundedByRowsOfAThread) {
  const auto copied = [](std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t by_library) {
    const bool tiled = tiles_suit(Dtype::Float32, m, k, n, false);  // where vectors fill lines
    const OpCall call = product(m, k, n, false);
    EXPECT_EQ(copied_operand_bytes(call, 2), tiled ? 0 : by_library);
    EXPECT_EQ(matmul_panels_bytes(call, 2) == ScratchBytes{}, !tiled);
  };
  copied(4500, 1600, 1600, (4096 + 640) * 320 * 4);
  copied(1100, 1100, 1100, (1100 + 640) * 320 * 4);
  // Two threads share columns: both copy all rows.
  copied(1100, 1100, 3000, 2 * (1100 + 320) * 320 * 4);
}

TEST(Matmul, AProductByTilesCopiesNothingForOpenBlas) {
  const OpCall call = product(4096, 40, 480, true);
  const bool tiled = tiles_suit(Dtype::Float32, 4096, 40, 480, true);  // not on every CPU
  // B is 480 columns of 40 rows, packed by each thread beside its tiles of A, 8 of 14 rows in
  // vectors of 16 or 16 of 6 rows in vectors of 8; or all rows and columns are copied.
  const std::int64_t tiles = gemm_kernels().float32.walk.packs_columns ? 8 * 16 * 40 * 4 : 0;
  EXPECT_EQ(matmul_panels_bytes(call, 2),
            (tiled ? ScratchBytes{480 * 40 * 4 + tiles, 480 * 40 * 4 + tiles} : ScratchBytes{}));
  EXPECT_EQ(copied_operand_bytes(call, 2), tiled ? 0 : (4096 + 640) * 40 * 4);
}

TEST(Matmul, TilesTakeFewRowsWhereTheseAreOfSomeWork) {
  const bool has_tiles = gemm_kernels().instruction_set != "generic";
  EXPECT_EQ(tiles_suit(Dtype::Float32, 4, 768, 3072, false), has_tiles);
  EXPECT_EQ(tiles_suit(Dtype::Float32, 1, 1024, 1024, true), has_tiles);
  EXPECT_FALSE(tiles_suit(Dtype::Float32, 4, 256, 256, false));
  EXPECT_FALSE(tiles_suit(Dtype::Float32, 2, 1'000'000, 3, false));
}

TEST(Matmul, TilesTakeFloat64OfSomeWorkWhereVectorsFillLines) {
  const bool fill = gemm_kernels().float64.streams();
  EXPECT_EQ(tiles_suit(Dtype::Float64, 128, 128, 128, false), fill);
  EXPECT_EQ(tiles_suit(Dtype::Float64, 2, 1024, 2048, true), fill);
  EXPECT_FALSE(tiles_suit(Dtype::Float64, 96, 96, 96, false));
  EXPECT_FALSE(tiles_suit(Dtype::Float64, 50'000, 16, 16, false));
  EXPECT_FALSE(tiles_suit(Dtype::Float64, 1, 4096, 4096, false));
  EXPECT_FALSE(tiles_suit(Dtype::Float16, 128, 128, 128, false));
}

TEST(Matmul, Float64ByTilesIsTheLibrarysProductWhateverIsTransposed) {
  for (const double transpose_a : {0.0, 1.0}) {
    for (const double transpose_b : {0.0, 1.0}) {
      const Example example("matmul", {2, 151, 93, 173}, Dtype::Float64, {transpose_a, transpose_b},
                            3);
      const Values expected =
          to_values(multiply(naive_functions(), example, 2, multiply_by_library).view());
      EXPECT_GT(gemm_calls, 0);
      const Values found = to_values(multiply(naive_functions(), example, 2).view());
      EXPECT_EQ(gemm_calls == 0, gemm_kernels().float64.streams());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-12);
    }
  }
}

TEST(Matmul, ADeepProductIsCutAlongItsDepthAndSumsUp) {
  // 2 rows and 1 column of depth 10⁸ in float32: 1.2 GB of operands, at most 0.5 GB a piece. The
  // first rows are cut for 20·10⁹ flops a second, which both rows stay below.
  static std::vector<std::array<std::int64_t, 4>> parts;  // offsets of A and B, depth, accumulate
  for (const double transpose : {0.0, 1.0}) {
    const OpCall call =
        make_call(find_op("matmul"), std::array<std::int64_t, 4>{1, 2, 100'000'000, 1},
                  Dtype::Float32, std::array{transpose, 1.0 - transpose});
    const Signature signature = call.op->signature(call);
    static float somewhere = 0.0F;
    const std::array inputs{TensorView{&somewhere, Dtype::Float32, signature.inputs[0].shape},
                            TensorView{&somewhere, Dtype::Float32, signature.inputs[1].shape}};
    const std::array outputs{TensorView{&somewhere, Dtype::Float32, signature.outputs[0].shape}};
    ProductFunctions functions = naive_functions();
    functions.gemm_float32 = [](const GemmCall<float>& g) {
      parts.push_back({g.a - &somewhere, g.b - &somewhere, g.k, std::int64_t(g.accumulate)});
    };
    parts.clear();
    const Poll poll;
    std::thread([&] { run_matmul(functions, {call, inputs, outputs, 1, poll}); }).join();
    const std::int64_t row = transpose != 0 ? 2 : 1;
    EXPECT_EQ(parts, (std::vector<std::array<std::int64_t, 4>>{
                         {0, 0, 33'333'333, 0},
                         {33'333'333 * row, 33'333'333, 33'333'333, 1},
                         {66'666'666 * row, 66'666'666, 33'333'334, 1}}));
  }
}

TEST(Matmul, SmallProductsOfABatchAreSharedWhole) {
  const Example example("matmul", {7, 5, 6, 4}, Dtype::Float64, {0, 0}, 2);
  const Values expected = define(
      example.call, {to_values(example.inputs[0].view()), to_values(example.inputs[1].view())});
  EXPECT_EQ(to_values(multiply(naive_functions(), example, 3).view()), expected);
  EXPECT_EQ(gemm_calls, 7);
}

TEST(Matmul, SingleRowsOfABatchReadTheirMatricesOnce) {
  for (const Dtype dtype : {Dtype::Float32, Dtype::Float64}) {
    for (const double transpose_a : {0.0, 1.0}) {
      for (const double transpose_b : {0.0, 1.0}) {
        const Example example("matmul", {7, 1, 6, 4}, dtype, {transpose_a, transpose_b}, 2);
        const Values expected = define(example.call, {to_values(example.inputs[0].view()),
                                                      to_values(example.inputs[1].view())});
        const Values found = to_values(multiply(naive_functions(), example, 3).view());
        const double roundings = dtype == Dtype::Float32 ? 1e-6 : 1e-15;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_NEAR(found[i], expected[i], roundings);
        }
        EXPECT_EQ(gemv_calls, 7);
        EXPECT_EQ(gemm_calls, 0);
      }
    }
  }
}

TEST(Matmul, RowsThatThreadsTakeWholeGoByThatProductWhereThereIsOne) {
  static std::atomic<int> whole_calls;
  whole_calls = 0;
  ProductFunctions functions = naive_functions();
  functions.whole_gemv_float32 = [](const GemvCall<float>& g) {
    ++whole_calls;
    naive_gemv(g);
  };
  const Example rows("matmul", {7, 1, 6, 4}, Dtype::Float32, {0.0, 0.0}, 2);
  const Tensor expected = multiply(naive_functions(), rows, 3);
  const Tensor found = multiply(functions, rows, 3);
  EXPECT_EQ(whole_calls, 7);
  EXPECT_EQ(to_values(found.view()), to_values(expected.view()));
}

TEST(Matmul, ASingleProductIsSharedAmongThreadsWhateverIsTransposed) {
  for (const double transpose_a : {0.0, 1.0}) {
    for (const double transpose_b : {0.0, 1.0}) {
      const std::vector<double> transposes{transpose_a, transpose_b};
      const Example example("matmul", {1, 150, 60, 170}, Dtype::Float64, transposes, 2);
      const auto by_library = [&example](int threads) {
        return to_values(multiply(naive_functions(), example, threads, multiply_by_library).view());
      };
      by_library(1);  // else cut by the pace of the small ones before it
      const Values expected = by_library(1);
      EXPECT_EQ(gemm_calls, 1);
      EXPECT_EQ(by_library(3), expected);
      EXPECT_EQ(gemm_calls, 3);
    }
  }
}

TEST(Matmul, ALibrarysBfloat16ProductIsUsedWhereGiven) {
  const Example example("matmul", {2, 5, 6, 4}, Dtype::BFloat16, {0, 1}, 3);
  ProductFunctions functions = naive_functions();
  const Values converted = to_values(multiply(functions, example, 1).view());
  functions.gemm_bfloat16 = [](const GemmCall<BFloat16Bits, float>& g) {
    ++bfloat16_calls;
    naive_gemm(g);
  };
  EXPECT_EQ(to_values(multiply(functions, example, 1).view()), converted);
  EXPECT_EQ(bfloat16_calls, 2);
}

// Small ones go to the library in float32, whatever the CPU has.
TEST(Matmul, HalvesGoByMatrixTilesWhereTheCpuHasThem) {
  for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
    for (const double transpose : {0.0, 1.0}) {
      const std::vector<double> transposes{transpose, 1 - transpose};
      const Example large("matmul", {3, 260, 130, 250}, dtype, transposes, 3);
      multiply(naive_functions(), large, 2);
      const bool by_library = !matmul_half_scratch(large.call, 2);
      EXPECT_EQ(gemm_calls > 0, by_library);  // once or, cut for threads, several times a product
      multiply(naive_functions(), Example("matmul", {3, 5, 65, 40}, dtype, transposes, 3), 2);
      EXPECT_EQ(gemm_calls, 3);
    }
  }
}

TEST(Matmul, Float16ThatHoldsAnInfinityIsMultipliedInFloat32) {
  const Example example("matmul", {1, 260, 130, 250}, Dtype::Float16, {0, 0}, 3);
  set(example.inputs[0], 2 * 130 + 7, std::numeric_limits<double>::infinity());
  const Values found = to_values(multiply(naive_functions(), example, 2).view());
  EXPECT_GT(gemm_calls, 0);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(std::isinf(found[i]), i / 250 == 2) << i;
}

#if defined(_OPENMP)
TEST(Matmul, TheProgramsOpenMpSettingIsPutBack) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(5);
  multiply(naive_functions(), Example("matmul", {1, 2, 2, 2}, Dtype::Float32, {0, 0}, 4), 2);
  EXPECT_EQ(omp_get_max_threads(), 5);
  omp_set_num_threads(before);
}
#endif

}  // namespace
}  // namespace siliconprof::cpu
