#include "siliconprof/kernels/reference/outer.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/outer.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceOuter, CostIsWhatTheDefinitionTakes) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {1, 9}, {8, 1}}) {
    prove_op("outer", {{"m", m}, {"n", n}}, {});
  }
}

TEST(ReferenceOuter, MultipliesByHand) {
  const std::array<double, 2> x{2, -3};
  const std::array<double, 3> y{1, 10, 100};
  std::array<double, 6> c{};
  outer<double>(make_call(kOuter, std::array<std::int64_t, 2>{2, 3}, Dtype::Float64, {}), x.data(),
                y.data(), c.data(), [](std::int64_t) {});
  EXPECT_EQ(c, (std::array<double, 6>{2, 20, 200, -3, -30, -300}));
}

}  // namespace
}  // namespace siliconprof::reference
