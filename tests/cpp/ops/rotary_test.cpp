#include "siliconprof/ops/rotary.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Rotary, CostsAProductAndASumForEachElement) {
  const Trace trace =
      single_op("rotary", {{"batch", 2}, {"tokens", 3}, {"heads", 4}, {"head_dim", 6}},
                Dtype::Float32, {}, false);
  EXPECT_EQ(trace.cost().vector_flops, 3 * 144);
  EXPECT_EQ(trace.cost().bytes(), 2 * 144 * 4);
}

TEST(Rotary, ItsGradientIsTheTurnBack) {
  const std::map<std::string, std::int64_t> dims{
      {"batch", 1}, {"tokens", 3}, {"heads", 1}, {"head_dim", 2}};
  for (const double inverse : {0.0, 1.0}) {
    const Trace trace =
        single_op("rotary", dims, Dtype::Float32, {{"base", 100.0}, {"inverse", inverse}}, true);
    ASSERT_EQ(trace.calls().size(), 1U);
    EXPECT_EQ(trace.calls()[0].attributes[0], 100.0);
    EXPECT_EQ(trace.calls()[0].attributes[1], 1.0 - inverse);
  }
}

TEST(Rotary, TurnsPairsAndSoNeedsAnEvenHeadDim) {
  EXPECT_THROW(single_op("rotary", {{"tokens", 3}, {"heads", 1}, {"head_dim", 3}}, Dtype::Float32,
                         {}, false),
               ShapeError);
}

}  // namespace
}  // namespace siliconprof
