#include "siliconprof/kernels/cpu/sum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

const Poll kNoPoll;
using Dims = std::array<std::int64_t, 3>;

Tensor sum_of(const Tensor& x, const Dims& dims, int threads) {
  const OpCall call = make_call(find_op("sum"), dims, x.view().dtype, {});
  Tensor y(x.view().dtype, Shape{dims[0], dims[2]});
  const std::array inputs{x.view()};
  const std::array outputs{y.view()};
  run_sum({call, inputs, outputs, threads, kNoPoll});
  return y;
}

// Shapes on both sides of every way to cut: narrow and wide columns, one part and several.
constexpr std::array<Dims, 13> kShapes{{{1, 300007, 1},
                                        {1, 2000003, 1},
                                        {292, 112, 1},
                                        {3, 70001, 1},
                                        {777, 130, 1},
                                        {1, 40009, 7},
                                        {2, 3001, 65},
                                        {5, 300, 127},
                                        {2, 515, 2500},
                                        {40, 9, 1025},
                                        {1, 515, 1500},
                                        {1, 300, 400},
                                        {1, 2, 100003}}};

TEST(Sum, ErrorStaysWithinTheStatedBoundAtAnySize) {
  for (const Dims& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const auto [outer, size, inner] = first<3>(dims);
      Tensor x(dtype, Shape{outer, size, inner});
      x.fill_uniform(3);
      const Values in = to_values(x.view());
      const Values found = to_values(sum_of(x, dims, 2).view());
      const bool wide = dtype == Dtype::Float64;
      const double terms = wide ? 264.0 + double(size) / 256.0 : 264.0;
      const double gamma = terms * (wide ? 0x1p-53 : 0x1p-24);
      for (std::int64_t i = 0; i < outer * inner; ++i) {
        long double exact = 0;
        double magnitude = 0;
        for (std::int64_t r = 0; r < size; ++r) {
          const double value = in[std::size_t((i / inner * size + r) * inner + i % inner)];
          exact += value;
          magnitude += std::abs(value);
        }
        const double bound = 1.001 * gamma * magnitude +
                             unit_roundoff(dtype) * std::abs(double(exact)) * 1.01 +
                             underflow(dtype);
        ASSERT_LE(std::abs(double(found[std::size_t(i)] - exact)), bound)
            << name(dtype) << " " << outer << " " << size << " " << inner << " at " << i;
      }
    }
  }
}

TEST(Sum, AnyThreadCountGivesTheSameBits) {
  for (const Dims& dims : kShapes) {
    Tensor x(Dtype::Float32, Shape{dims[0], dims[1], dims[2]});
    x.fill_uniform(4);
    const Tensor one = sum_of(x, dims, 1);
    for (const int threads : {2, 3, 7, 16}) {
      const Tensor more = sum_of(x, dims, threads);
      EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())), 0)
          << dims[0] << " " << dims[1] << " " << dims[2] << " threads " << threads;
    }
  }
}

TEST(Sum, ANanAnInfinityAndASubnormalReachTheirOwnSumOnly) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const Dims& dims : {Dims{2, 37, 1}, Dims{2, 37, 3}, Dims{2, 37, 40}}) {
      const Example example("sum", {dims[0], dims[1], dims[2]}, dtype, {}, 11);
      const std::int64_t inner = dims[2];
      set(example.inputs[0], 20 * inner, std::numeric_limits<double>::quiet_NaN());
      set(example.inputs[0], (37 + 3) * inner, -std::numeric_limits<double>::infinity());
      const Tensor y = sum_of(example.inputs[0], dims, 2);
      const Values values = to_values(y.view());
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(std::isnan(values[i]), i == 0);
        EXPECT_EQ(std::isinf(values[i]), i == std::size_t(inner));
      }
    }
  }
  Tensor tiny(Dtype::Float32, Shape{1, 3, 1});
  for (int i = 0; i < 3; ++i) tiny.view().as<float>()[i] = 0x1p-149F;
  EXPECT_EQ(sum_of(tiny, {1, 3, 1}, 1).view().as<float>()[0], 0x3p-149F);
}

// Small integers: every format and every order of summation is exact.
TEST(Sum, EveryBuildSumsRowsAndColumns) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (const Dtype dtype : kCpuDtypes) {
      with_element_type(dtype, [&]<class T>() {
        for (std::int64_t n = 1; n < 150; n = n < 70 ? n + 1 : n + 23) {
          for (const std::int64_t rows : {1, 3, 4, 5, 11}) {
            std::vector<T> in(std::size_t(n * rows));
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = T(float(int(i * 5 % 9) - 4));
            std::vector<double> by_row(std::size_t(rows), 0);
            std::vector<double> by_column(std::size_t(n), 0);
            for (std::size_t i = 0; i < in.size(); ++i) {
              by_row[i / std::size_t(n)] += double(in[i]);
              by_column[i % std::size_t(n)] += double(in[i]);
            }
            std::vector<double> totals(std::size_t(std::max(n, rows)));
            kernels->elements(dtype).row_sums(in.data(), rows, n, rows % 2 == 0, totals.data());
            EXPECT_TRUE(std::equal(by_row.begin(), by_row.end(), totals.begin()));
            kernels->elements(dtype).column_sums(in.data(), n, rows, n, rows % 2 == 1,
                                                 totals.data());
            EXPECT_TRUE(std::equal(by_column.begin(), by_column.end(), totals.begin()));
          }
        }
      });
    }
  }
}

TEST(Broadcast, TilesMeetAnywhereInARow) {
  for (const Dims& dims :
       {Dims{3, 5000, 1}, Dims{1, 70001, 1}, Dims{5000, 3, 1}, Dims{2, 33, 999}, Dims{1, 3, 50001},
        Dims{500, 7, 13}, Dims{2000, 64, 1}, Dims{40, 3, 1024}}) {
    const auto [outer, size, inner] = first<3>(dims);
    const OpCall call = make_call(find_op("broadcast"), dims, Dtype::Float32, {});
    const Tensor x(Dtype::Float32, Shape{outer, inner});
    const Tensor y(Dtype::Float32, Shape{outer, size, inner});
    for (std::int64_t i = 0; i < outer * inner; ++i) x.view().as<float>()[i] = float(i);
    const std::array inputs{x.view()};
    const std::array outputs{y.view()};
    run_broadcast({call, inputs, outputs, 3, kNoPoll});
    for (std::int64_t i = 0; i < outer * size * inner; ++i) {
      ASSERT_EQ(y.view().as<float>()[i], float(i / (size * inner) * inner + i % inner));
    }
  }
}

TEST(Broadcast, RowsPastTheCacheAreRightToTheLastElement) {
  for (const Dtype dtype : {Dtype::Float32, Dtype::BFloat16}) {
    for (const std::int64_t size : {64, 61}) {
      const std::int64_t outer = last_level_cache_bytes() / (size * size_bytes(dtype)) + 100;
      const Example example("broadcast", {outer, size, 1}, dtype, {}, 4);
      const Tensor y = run(kEigenEngine, example, 2);
      with_element_type(dtype, [&]<class T>() {
        std::vector<T> row(static_cast<std::size_t>(size));
        for (std::int64_t o = 0; o < outer; ++o) {
          std::fill(row.begin(), row.end(), example.inputs[0].view().as<const T>()[o]);
          const T* found = y.view().as<const T>() + o * size;
          ASSERT_EQ(std::memcmp(found, row.data(), row.size() * sizeof(T)), 0) << o;
        }
      });
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
