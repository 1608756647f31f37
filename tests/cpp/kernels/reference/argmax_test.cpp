#include "siliconprof/kernels/reference/argmax.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/argmax.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;

TEST(ReferenceArgmax, CostIsWhatTheDefinitionTakes) {
  for (const auto& [outer, size, inner] :
       {Dims{1, 1, 1}, {2, 3, 5}, {1, 9, 1}, {4, 1, 3}, {0, 3, 2}, {2, 3, 0}}) {
    prove_op("argmax", {{"outer", outer}, {"size", size}, {"inner", inner}}, {});
  }
}

TEST(ReferenceArgmax, TakesTheFirstLargestAndTheFirstNan) {
  const double nan = std::nan("");
  const double inf = INFINITY;
  // Columns: 3 twice; a NaN before a larger number; -inf alone; two NaNs.
  const std::array<double, 12> x{1, 7, -inf, 5, 3, nan, -inf, nan, 3, inf, -inf, nan};
  std::array<std::int32_t, 4> y{};
  argmax<double>(make_call(kArgmax, Dims{1, 3, 4}, Dtype::Float64, {}), x.data(), y.data(),
                 [](std::int64_t) {});
  EXPECT_EQ(y, (std::array<std::int32_t, 4>{1, 1, 0, 1}));
}

}  // namespace
}  // namespace siliconprof::reference
