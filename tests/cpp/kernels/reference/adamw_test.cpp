#include "siliconprof/kernels/reference/adamw.h"

#include <array>
#include <cmath>

#include "cost_proof.h"
#include "siliconprof/ops/adamw.h"

namespace siliconprof::reference {
namespace {

TEST(ReferenceAdamW, CostIsWhatTheDefinitionTakes) {
  for (const std::int64_t n : {0, 1, 2, 17}) prove_op("adamw", {{"n", n}}, {{"step", 3}});
}

TEST(ReferenceAdamW, TheFirstStepIsTheRateInTheGradientsDirectionAndDecay) {
  // m' = g/10 corrected to g, √v' corrected to |g|: p' = (1 - 0.1·0.5)·p - 0.1·sign(g).
  const OpCall call = make_call(kAdamW, std::array{std::int64_t{2}}, Dtype::Float64,
                                std::array{0.1, 0.9, 0.999, 0.0, 0.5, 1.0});
  std::array<double, 2> p{1.0, 2.0};
  const std::array<double, 2> g{3.0, -5.0};
  std::array<double, 2> m{};
  std::array<double, 2> v{};
  adamw<double>(call, p.data(), g.data(), m.data(), v.data(), p.data(), m.data(), v.data(),
                [](std::int64_t) {});
  EXPECT_NEAR(p[0], 0.95 - 0.1, 1e-12);
  EXPECT_NEAR(p[1], 1.9 + 0.1, 1e-12);
  EXPECT_NEAR(m[0], 0.3, 1e-15);
  EXPECT_NEAR(v[1], 0.025, 1e-15);
}

TEST(ReferenceAdamW, ALaterStepByHand) {
  // beta1 = beta2 = 1/2, step 2: both corrections are 3/4. m' = 2, v' = (1 + 9)/2 = 5.
  const OpCall call = make_call(kAdamW, std::array{std::int64_t{1}}, Dtype::Float64,
                                std::array{0.75, 0.5, 0.5, 0.25, 0.0, 2.0});
  double p = 10.0;
  double m = 1.0;
  double v = 1.0;
  const double g = 3.0;
  adamw<double>(call, &p, &g, &m, &v, &p, &m, &v, [](std::int64_t) {});
  EXPECT_EQ(m, 2.0);
  EXPECT_EQ(v, 5.0);
  EXPECT_NEAR(p, 10.0 - 2.0 / (std::sqrt(5.0 / 0.75) + 0.25), 1e-14);
}

}  // namespace
}  // namespace siliconprof::reference
