#include "siliconprof/kernels/reference/sum.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/sum.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceSum, CostIsWhatTheDefinitionTakes) {
  for (const auto& [outer, size, inner] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {2, 3, 5}, {1, 9, 1}, {4, 1, 3}}) {
    prove_op("sum", {{"outer", outer}, {"size", size}, {"inner", inner}}, {});
  }
}

TEST(ReferenceSum, AddsAlongTheMiddleAxisByHand) {
  const std::array<double, 8> x{1, 2, 3, 4, 50, 60, 70, 80};
  std::array<double, 4> y{};
  sum<double>(make_call(kSum, std::array<std::int64_t, 3>{2, 2, 2}, Dtype::Float64, {}), x.data(),
              y.data(), [](std::int64_t) {});
  EXPECT_EQ(y, (std::array<double, 4>{4, 6, 120, 140}));
}

}  // namespace
}  // namespace siliconprof::reference
