#include "siliconprof/kernels/reference/linear.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/linear.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceLinear, CostIsWhatTheDefinitionTakes) {
  for (const auto& [rows, in, out] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {3, 5, 4}, {1, 7, 3}, {6, 1, 2}}) {
    prove_op("linear", {{"rows", rows}, {"in", in}, {"out", out}}, {});
  }
  // Without rows or outputs nothing is read; without a depth the bias alone is.
  for (const auto& dims : {std::array<std::int64_t, 3>{0, 2, 3}, {2, 0, 3}, {2, 3, 0}}) {
    prove_cost(make_call(kLinear, dims, Dtype::Float32, {}));
  }
}

TEST(ReferenceLinear, MultipliesByTheTransposeAndAddsTheBiasByHand) {
  const std::array<double, 4> x{1, 2, 3, 4};
  const std::array<double, 6> weight{1, 0, 0, 1, 2, -1};
  const std::array<double, 3> bias{10, 20, 30};
  std::array<double, 6> y{};
  linear<double>(make_call(kLinear, std::array<std::int64_t, 3>{2, 2, 3}, Dtype::Float64, {}),
                 x.data(), weight.data(), bias.data(), y.data(), [](std::int64_t) {});
  EXPECT_EQ(y, (std::array<double, 6>{11, 22, 30, 13, 24, 32}));
}

}  // namespace
}  // namespace siliconprof::reference
