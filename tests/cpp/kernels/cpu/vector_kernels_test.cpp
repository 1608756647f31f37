#include "siliconprof/kernels/cpu/vector_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/core/tensor.h"
#include "siliconprof/kernels/cpu/element_type.h"

namespace siliconprof::cpu {
namespace {

constexpr std::array<Dtype, 4> kDtypes{Dtype::Float64, Dtype::Float32, Dtype::Float16,
                                       Dtype::BFloat16};
constexpr std::size_t kGuard = 40;

// Small integers, so that every format and every order of summation is exact.
template <class T>
T integer_at(std::size_t i, int stride) {
  return T(float(int(i * std::size_t(stride) % 9) - 4));
}

template <class T>
std::vector<T> integers(std::size_t n, int stride) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = integer_at<T>(i, stride);
  return values;
}

/// Runs function(a, b, out, n, stream) at many lengths and offsets, on arrays between guards.
template <class T, class Run, class Expected>
void check(const Run& run, const Expected& expected) {
  for (std::size_t n = 0; n < 140; n = n < 70 ? n + 1 : n + 23) {
    for (const std::size_t offset : {0, 1, 7}) {
      for (const bool stream : {false, true}) {
        const std::vector<T> a = integers<T>(n + offset, 2);
        const std::vector<T> b = integers<T>(n + offset, 5);
        std::vector<T> out(n + offset + 2 * kGuard, T(77.0F));
        T* start = out.data() + kGuard + offset;
        run(a.data() + offset, b.data() + offset, start, std::int64_t(n), stream);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(float(start[i]), expected(float(a[offset + i]), float(b[offset + i])))
              << "n " << n << " offset " << offset << " stream " << stream << " i " << i;
        }
        for (std::size_t i = 0; i < kGuard + offset; ++i) ASSERT_EQ(float(out[i]), 77.0F);
        for (std::size_t i = 0; i < kGuard; ++i) ASSERT_EQ(float(start[n + i]), 77.0F);
      }
    }
  }
}

TEST(VectorKernels, EveryBuildAddsScalesAndCombines) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (const Dtype dtype : kDtypes) {
      SCOPED_TRACE(std::string(kernels->instruction_set) + " " + std::string(name(dtype)));
      const ElementKernels& k = kernels->elements(dtype);
      with_element_type(dtype, [&]<class T>() {
        check<T>([&](auto a, auto b, auto c, auto n, bool s) { k.add(a, b, c, n, s); },
                 [](float a, float b) { return a + b; });
        check<T>([&](auto a, auto, auto c, auto n, bool s) { k.scale(a, 3.0, c, n, s); },
                 [](float a, float) { return 3 * a; });
        check<T>([&](auto a, auto b, auto c, auto n, bool s) { k.triad(a, b, -2.0, c, n, s); },
                 [](float a, float b) { return a - 2 * b; });
      });
    }
  }
}

TEST(VectorKernels, EveryBuildCopiesBytesAtAnyAlignment) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (std::size_t bytes = 0; bytes < 300; bytes += 7) {
      for (std::size_t offset = 0; offset < 5; ++offset) {
        for (const bool stream : {false, true}) {
          std::vector<unsigned char> in(bytes);
          for (std::size_t i = 0; i < bytes; ++i) in[i] = static_cast<unsigned char>(i * 31);
          std::vector<unsigned char> out(bytes + offset + 1, 0xaa);
          kernels->copy(in.data(), out.data() + offset, std::int64_t(bytes), stream);
          EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin() + std::ptrdiff_t(offset)));
          EXPECT_EQ(out.back(), 0xaa);
          EXPECT_EQ(std::count(out.begin(), out.begin() + std::ptrdiff_t(offset), 0xaa),
                    std::ptrdiff_t(offset));
        }
      }
    }
  }
}

TEST(VectorKernels, EveryBuildSumsEveryElementOnce) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (std::int64_t n = 0; n < 200; n += 3) {
      std::vector<double> values(std::size_t(n), 0.0);
      for (std::int64_t i = 0; i < n; ++i) values[std::size_t(i)] = double(i + 1);
      EXPECT_EQ(kernels->sum(values.data(), n), double(n * (n + 1) / 2));
    }
  }
}

template <class T>
void check_products(const HalfKernels& kernels) {
  for (const std::int64_t rows : {1, 3, 4, 9}) {
    for (const std::int64_t n : {1, 15, 16, 17, 70, 129}) {
      const std::int64_t stride = n + 3;
      const auto a = integers<T>(std::size_t(rows * stride), 2);
      const auto x = integers<float>(std::size_t(std::max(rows, n)), 5);
      std::vector<float> by_rows(std::size_t(rows), 0.0F);
      std::vector<float> by_columns(std::size_t(n), 1.0F);
      kernels.rows_times_vector(a.data(), stride, x.data(), by_rows.data(), rows, n);
      kernels.add_weighted_rows(a.data(), stride, x.data(), by_columns.data(), rows, n);
      for (std::int64_t i = 0; i < rows; ++i) {
        float expected = 0.0F;
        for (std::int64_t j = 0; j < n; ++j) {
          expected += float(a[std::size_t(i * stride + j)]) * x[std::size_t(j)];
        }
        ASSERT_EQ(by_rows[std::size_t(i)], expected);
      }
      for (std::int64_t j = 0; j < n; ++j) {
        float expected = 1.0F;
        for (std::int64_t i = 0; i < rows; ++i) {
          expected += float(a[std::size_t(i * stride + j)]) * x[std::size_t(i)];
        }
        ASSERT_EQ(by_columns[std::size_t(j)], expected);
      }
    }
  }
}

TEST(VectorKernels, EveryBuildMultipliesHalfMatricesByVectors) {
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    check_products<float16>(kernels->float16_products);
    check_products<bfloat16>(kernels->bfloat16_products);
  }
}

TEST(VectorKernels, EveryBuildFillsWithAPattern) {
  const std::uint64_t pattern = 0x7ff4123456789abcU;  // as a number a signalling NaN
  const auto* parts = reinterpret_cast<const std::uint16_t*>(&pattern);
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (const std::size_t offset : {0, 4, 20}) {
      for (std::size_t n = 0; n < 150; ++n) {
        std::vector<std::uint16_t> out(n + offset + kGuard, 7);
        kernels->fill_unfenced(pattern, out.data() + offset, std::int64_t(2 * n), n % 2 == 0);
        kernels->fence();
        for (std::size_t i = 0; i < out.size(); ++i) {
          const bool within = i >= offset && i < offset + n;
          ASSERT_EQ(out[i], within ? parts[(i - offset) % 4] : 7) << n << " " << offset;
        }
      }
    }
  }
}

TEST(VectorKernels, EveryBuildGivesOneSequenceOfUniformNumbers) {
  Tensor all(Dtype::Float32, {1000});
  all.fill_uniform(9);
  const float most = 0.5F;
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    std::vector<float> found(301);
    kernels->uniform(9, 77, most, found.data(), 301);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i], std::min(all.view().as<float>()[77 + i], most))
          << kernels->instruction_set;
    }
  }
}

TEST(VectorKernels, TheGenericBuildRunsEverywhereAndTheBestComesFirst) {
  EXPECT_EQ(runnable_vector_kernels().back()->instruction_set, "generic");
  EXPECT_EQ(&vector_kernels(), runnable_vector_kernels().front());
}

TEST(VectorKernels, Tf32IsRefused) {
  EXPECT_THROW(vector_kernels().elements(Dtype::Tf32), DtypeError);
  EXPECT_THROW(vector_kernels().products(Dtype::Float32), DtypeError);
}

}  // namespace
}  // namespace siliconprof::cpu
