#include "siliconprof/kernels/cpu/row_kernels.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(RowKernels, EveryBuildMasksRowsFromAnywhere) {
  for (const RowKernels* kernels : runnable_row_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const bool stream : {false, true}) {
      for (std::int64_t n = 1; n < 80; ++n) {
        std::vector<float> x(std::size_t(4 * n));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i);
        std::vector<float> y(x.size() + 1, 77.0F);
        kernels->float32.mask(x.data(), -1.0, y.data(), n / 2, 4, n, -1, stream);
        for (std::int64_t i = 0; i < 4 * n; ++i) {
          const bool shown = i % n < n / 2 + i / n - 1;
          ASSERT_EQ(y[std::size_t(i)], shown ? float(i) : -1.0F) << n << " " << i;
        }
        EXPECT_EQ(y.back(), 77.0F);
      }
    }
  }
}

TEST(RowKernels, EveryBuildAddsABiasAndBendsIt) {
  for (const RowKernels* kernels : runnable_row_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t n : {1, 7, 16, 40}) {
      std::vector<float> x(std::size_t(3 * n)), b(std::size_t(n), 0.5F), y(x.size()),
          ones(x.size(), 1.0F);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = float(i % 9) - 4;
      const RowLoops& loops = kernels->float32;
      loops.bias(x.data(), b.data(), y.data(), 3, n, false);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + 0.5F);
      loops.bias_gelu_tanh(x.data(), b.data(), y.data(), 3, n, true);
      const auto gelu = [](double v) {
        return v / 2 *
               (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (v + 0.044715 * v * v * v)));
      };
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], gelu(x[i] + 0.5), 2e-6);
      loops.bias_gelu_tanh_backward(x.data(), b.data(), ones.data(), y.data(), 3, n, false);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x[i] + 0.5;
        ASSERT_NEAR(y[i], (gelu(v + 1e-5) - gelu(v - 1e-5)) / 2e-5, 4e-6);
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
