#include "siliconprof/kernels/cpu/elementwise.h"

#include <gtest/gtest.h>

#include "siliconprof/core/half.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/ops/table.h"

namespace siliconprof::cpu {
namespace {

const Poll kNoPoll;

// Larger than the last-level cache, so that the stores that bypass it are taken.
TEST(Elementwise, ResultsLargerThanTheCacheAreRightToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 6 + 12345;
  const OpCall call = make_call(find_op("triad"), std::array{n}, Dtype::BFloat16, std::array{2.0});
  const Tensor a(Dtype::BFloat16, Shape{n});
  const Tensor b(Dtype::BFloat16, Shape{n});
  const Tensor c(Dtype::BFloat16, Shape{n});
  for (std::int64_t i = 0; i < n; ++i) {
    a.view().as<bfloat16>()[i] = bfloat16(float(i % 5));
    b.view().as<bfloat16>()[i] = bfloat16(float(i % 7));
  }
  const std::array inputs{a.view(), b.view()};
  const std::array outputs{c.view()};
  run_triad({call, inputs, outputs, 2, kNoPoll});
  for (std::int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(float(c.view().as<bfloat16>()[i]), float(i % 5 + 2 * (i % 7))) << i;
  }
}

// A piece ends anywhere in a row, also in the middle.
TEST(Elementwise, OuterProductIsRightWhereThreadsMeet) {
  for (const auto& [m, n] :
       {std::pair<std::int64_t, std::int64_t>{3, 50001}, {50001, 3}, {1, 100003}, {100003, 1}}) {
    const OpCall call = make_call(find_op("outer"), std::array{m, n}, Dtype::Float32, {});
    const Tensor x(Dtype::Float32, Shape{m});
    const Tensor y(Dtype::Float32, Shape{n});
    const Tensor c(Dtype::Float32, Shape{m, n});
    for (std::int64_t i = 0; i < m; ++i) x.view().as<float>()[i] = float(i % 11 + 1);
    for (std::int64_t j = 0; j < n; ++j) y.view().as<float>()[j] = float(j % 13 - 6);
    const std::array inputs{x.view(), y.view()};
    const std::array outputs{c.view()};
    run_outer({call, inputs, outputs, 3, kNoPoll});
    for (std::int64_t i = 0; i < m * n; ++i) {
      ASSERT_EQ(c.view().as<float>()[i], float(i / n % 11 + 1) * float(i % n % 13 - 6));
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
