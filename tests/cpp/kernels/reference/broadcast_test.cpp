#include "siliconprof/kernels/reference/broadcast.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/broadcast.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceBroadcast, CostIsWhatTheDefinitionTakes) {
  for (const auto& [outer, size, inner] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {2, 3, 5}, {1, 9, 1}, {4, 1, 3}}) {
    prove_op("broadcast", {{"outer", outer}, {"size", size}, {"inner", inner}}, {});
  }
}

TEST(ReferenceBroadcast, RepeatsByHand) {
  const std::array<double, 4> x{1, 2, 3, 4};
  std::array<double, 8> y{};
  broadcast(make_call(kBroadcast, std::array<std::int64_t, 3>{2, 2, 2}, Dtype::Float64, {}),
            x.data(), y.data(), [](std::int64_t) {});
  EXPECT_EQ(y, (std::array<double, 8>{1, 2, 1, 2, 3, 4, 3, 4}));
}

}  // namespace
}  // namespace siliconprof::reference
