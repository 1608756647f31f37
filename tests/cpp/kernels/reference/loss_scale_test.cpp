#include "siliconprof/kernels/reference/loss_scale.h"

#include <array>
#include <cmath>
#include <limits>

#include "cost_proof.h"
#include "siliconprof/ops/loss_scale.h"

namespace siliconprof::reference {
namespace {

using Pair = std::array<double, 2>;

TEST(ReferenceLossScale, CostIsWhatTheDefinitionsTake) {
  for (const std::int64_t n : {0, 1, 2, 17}) prove_op("unscale", {{"n", n}}, {});
  for (const double interval : {1.0, 1000.0}) {
    prove_op("update_scale", {}, {{"growth_interval", interval}});
  }
}

Pair unscaled(Pair g, double scale, double* found) {
  unscale<double>(make_call(kUnscale, std::array{std::int64_t{2}}, Dtype::Float64, {}), g.data(),
                  &scale, found, g.data(), found, [](std::int64_t) {});
  return g;
}

TEST(ReferenceLossScale, UnscalingDividesAndNoticesWhatIsNotFinite) {
  double found = 0.0;
  EXPECT_EQ(unscaled({8, -6}, 4.0, &found), (Pair{2, -1.5}));
  EXPECT_EQ(found, 0.0);
  EXPECT_TRUE(std::isnan(unscaled({8, std::nan("")}, 4.0, &found)[1]));
  EXPECT_EQ(found, 1.0);
  EXPECT_EQ(unscaled({8, 8}, 4.0, &found)[0], 2.0);
  EXPECT_EQ(found, 1.0) << "what was found stays";
  found = 0.0;
  unscaled({-std::numeric_limits<double>::infinity(), 8}, 4.0, &found);
  EXPECT_EQ(found, 1.0);
}

/// (scale, tracker) after a step with growth by 3 every 4 steps, backoff by a quarter.
Pair updated(double scale, double tracker, double found) {
  const OpCall call = make_call(kUpdateScale, {}, Dtype::Float64, std::array{3.0, 0.25, 4.0});
  update_scale<double>(call, &scale, &tracker, &found, &scale, &tracker);
  return {scale, tracker};
}

TEST(ReferenceLossScale, TheScaleGrowsAfterTheIntervalAndShrinksAtOnce) {
  EXPECT_EQ(updated(16, 0, 0), (Pair{16, 1}));
  EXPECT_EQ(updated(16, 2, 0), (Pair{16, 3}));
  EXPECT_EQ(updated(16, 3, 0), (Pair{48, 0}));
  EXPECT_EQ(updated(16, 3, 1), (Pair{4, 0}));
  EXPECT_EQ(updated(1e308, 3, 0), (Pair{1e308, 0})) << "growth to infinity is left out";
}

}  // namespace
}  // namespace siliconprof::reference
