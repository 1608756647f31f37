#include "siliconprof/kernels/cpu/argmax.h"

#include "exact_agreement.h"

namespace siliconprof::cpu {
namespace {

// Rows short and long, columns narrow and wide, few enough to be cut in parts and not.
const std::vector<std::vector<std::int64_t>> kShapes{
    {1, 1, 1},  {77, 13, 1},  {300, 64, 1},  {5, 5000, 1},  {1, 200001, 1}, {20, 4097, 1},
    {3, 40, 7}, {2, 300, 65}, {1, 9, 5000},  {40, 1, 3},    {1, 100000, 2}, {20, 30, 16},
    {0, 3, 2},  {2, 3, 0},    {1, 70, 2500}, {17, 33, 100}, {50, 128, 1},   {30, 32, 1}};

TEST(Argmax, AgreesWithTheDefinitionAtAnySize) {
  for (const auto& dims : kShapes) expect_exact_agreement("argmax", dims);
}

TEST(Argmax, TakesTheFirstOfEqualsAndTheFirstNan) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("argmax", dims, dtype, {}, 5);
      const Tensor& x = example.inputs[0];
      const std::int64_t n = x.view().elements();
      for (std::int64_t i = 0; i < n; ++i) set(x, i, double(i * i % 5));
      expect_exact_agreement(example);
      if (n > 0) set(x, n / 2, std::nan(""));
      if (n > 0) set(x, n - 1, std::nan(""));
      expect_exact_agreement(example);
      for (std::int64_t i = 0; i < n; ++i) set(x, i, -INFINITY);
      expect_exact_agreement(example);
      for (std::int64_t i = 3; i < n; i += 7) set(x, i, INFINITY);
      expect_exact_agreement(example);
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
