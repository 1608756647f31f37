#include "siliconprof/kernels/reference/gather.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/gather.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;

TEST(ReferenceGather, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, count, columns] :
       {Dims{1, 1, 1}, {5, 3, 2}, {3, 8, 4}, {4, 0, 2}, {0, 0, 3}, {3, 4, 0}}) {
    prove_op("gather", {{"rows", rows}, {"count", count}, {"columns", columns}}, {});
    prove_op("embedding", {{"v", rows}, {"n", count}, {"c", columns}}, {});
  }
}

TEST(ReferenceGather, TakesRowsByHand) {
  const std::array<double, 6> x{1, 2, 3, 4, 5, 6};
  const std::array<std::int32_t, 4> index{2, 0, 2, 1};
  std::array<double, 8> y{};
  gather(make_call(kGather, Dims{3, 4, 2}, Dtype::Float64, {}), x.data(), index.data(), y.data(),
         [](std::int64_t) {});
  EXPECT_EQ(y, (std::array<double, 8>{5, 6, 1, 2, 5, 6, 3, 4}));
}

}  // namespace
}  // namespace siliconprof::reference
