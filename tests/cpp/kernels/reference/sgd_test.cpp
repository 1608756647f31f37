#include "siliconprof/kernels/reference/sgd.h"

#include <array>
#include <limits>

#include "cost_proof.h"
#include "siliconprof/ops/sgd.h"

namespace siliconprof::reference {
namespace {

struct Stepped {
  double parameter;
  double velocity;
};

Stepped step(double p, double g, double v, const std::array<double, 4>& attributes) {
  const OpCall call = make_call(kSgd, std::array{std::int64_t{1}}, Dtype::Float64, attributes);
  sgd<double>(call, &p, &g, &v, &p, &v, [](std::int64_t) {});
  return {p, v};
}

TEST(ReferenceSgd, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {0, 1, 2, 17}) {
    for (const double decay : {0.0, 0.5}) {
      for (const double nesterov : {0.0, 1.0}) {
        prove_op("sgd", {{"n", n}}, {{"weight_decay", decay}, {"nesterov", nesterov}});
      }
    }
  }
}

TEST(ReferenceSgd, StepsByHand) {
  // g' = 3 + 0.25·8 = 5, v' = 0.5·4 + 5 = 7.
  const Stepped plain = step(8.0, 3.0, 4.0, {0.5, 0.5, 0.25, 0.0});
  EXPECT_EQ(plain.velocity, 7.0);
  EXPECT_EQ(plain.parameter, 8.0 - 0.5 * 7.0);
  const Stepped ahead = step(8.0, 3.0, 4.0, {0.5, 0.5, 0.25, 1.0});
  EXPECT_EQ(ahead.velocity, 7.0);
  EXPECT_EQ(ahead.parameter, 8.0 - 0.5 * (5.0 + 0.5 * 7.0));
}

TEST(ReferenceSgd, WithoutDecayAnInfiniteParameterSpoilsNoVelocity) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(step(inf, 3.0, 0.0, {0.5, 0.5, 0.0, 0.0}).velocity, 3.0);
}

}  // namespace
}  // namespace siliconprof::reference
