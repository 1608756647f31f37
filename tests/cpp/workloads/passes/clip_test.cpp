#include "siliconprof/workloads/passes/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "siliconprof/core/error.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

double norm(const NamedValues& gradients) {
  double sum = 0.0;
  for (const auto& [name, values] : gradients) {
    for (const double value : values) sum += value * value;
  }
  return std::sqrt(sum);
}

TEST(Clip, ScalesAllGradientsToTheNorm) {
  const Trace trace = differentiate(tiny_mlp());
  const NamedValues plain = TracedValues(trace).gradients();
  const Trace clipped = clip(trace, 0.01);
  const NamedValues after = TracedValues(clipped).gradients();
  EXPECT_NEAR(norm(after), 0.01 / (1 + 1e-6 / norm(plain)), 1e-12);
  EXPECT_NEAR(after.at("fc1.bias")[0] / plain.at("fc1.bias")[0],
              after.at("fc2.weight")[3] / plain.at("fc2.weight")[3], 1e-12);
}

TEST(Clip, LeavesSmallGradientsAlone) {
  const Trace trace = differentiate(tiny_mlp());
  EXPECT_EQ(TracedValues(clip(trace, 1e6)).gradients(), TracedValues(trace).gradients());
}

TEST(Clip, JoinsLaunchesWhereOneGoesOverAllGradients) {
  const Trace trace = differentiate(tiny_mlp());
  const auto launches = [&](bool fused_sums, bool fused) {
    std::map<std::string_view, int> found;
    const Trace clipped = clip(trace, 1.0, fused_sums, fused);
    for (const OpCall& call : clipped.calls()) {
      if (call.phase == Phase::Optimizer && !call.joins_launch) ++found[call.op->name];
    }
    return std::pair(found["square_sum"], found["clip"]);
  };
  const auto all = int(trace.gradients().size());
  EXPECT_EQ(launches(false, false), std::pair(all, all));
  EXPECT_EQ(launches(false, true), std::pair(all, 1));
  EXPECT_EQ(launches(true, true), std::pair(1, 1));
}

TEST(Clip, RefusesANormThatIsNotPositive) {
  EXPECT_THROW(clip(differentiate(tiny_mlp()), 0.0), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
