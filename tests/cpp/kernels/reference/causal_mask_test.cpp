#include "siliconprof/kernels/reference/causal_mask.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/causal_mask.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;

TEST(ReferenceCausalMask, CostIsWhatTheDefinitionTakes) {
  for (const auto& [batch, rows, columns] :
       {Dims{1, 1, 1}, {2, 3, 5}, {2, 5, 3}, {2, 4, 4}, {1, 0, 3}, {1, 3, 0}, {0, 2, 2}}) {
    prove_op("causal_mask", {{"batch", batch}, {"rows", rows}, {"columns", columns}}, {});
  }
}

TEST(ReferenceCausalMask, TheLastRowSeesAllAndEachBeforeItOneLess) {
  const auto masked = [](std::int64_t rows, std::int64_t columns) {
    const OpCall call = make_call(kCausalMask, Dims{1, rows, columns}, Dtype::Float64, {});
    const std::array<double, 6> x{1, 2, 3, 4, 5, 6};
    std::array<double, 6> y{};
    causal_mask<double>(call, 0.0, x.data(), y.data(), [](std::int64_t) {});
    return y;
  };
  EXPECT_EQ(masked(2, 3), (std::array<double, 6>{1, 2, 0, 4, 5, 6}));
  EXPECT_EQ(masked(3, 2), (std::array<double, 6>{0, 0, 3, 0, 5, 6}));
}

}  // namespace
}  // namespace siliconprof::reference
