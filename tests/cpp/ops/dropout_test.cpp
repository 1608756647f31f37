#include "siliconprof/ops/dropout.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(Dropout, CostsOneProductAnElement) {
  const OpCall call = make_call(kDropout, std::vector<std::int64_t>{7}, Dtype::Float16, {});
  EXPECT_EQ(kDropout.cost(call), (Cost{.vector_flops = 7, .bytes_read = 14, .bytes_written = 14}));
}

TEST(Dropout, ItsGradientDropsByTheSameRateAndSeed) {
  const Trace trace =
      single_op("dropout", {{"n", 7}}, Dtype::Float32, {{"rate", 0.25}, {"seed", 9}}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op, &kDropout);
  EXPECT_EQ(trace.calls()[0].attributes[0], 0.25);
  EXPECT_EQ(trace.calls()[0].attributes[1], 9.0);
  EXPECT_EQ(trace.calls()[0].phase, Phase::Backward);
}

TEST(Dropout, RefusesARateOutsideOfZeroToOne) {
  for (const double rate : {-0.1, 1.5}) {
    EXPECT_THROW(make_call(kDropout, std::vector<std::int64_t>{7}, Dtype::Float32,
                           std::vector<double>{rate}),
                 ArgumentError);
  }
}

}  // namespace
}  // namespace siliconprof
