#include "siliconprof/ops/silu_gate.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(SiluGate, ReadsTwoVectorsAndWritesOne) {
  const Trace trace = single_op("silu_gate", {{"n", 10}}, Dtype::Float32, {}, false);
  EXPECT_EQ(trace.cost().vector_flops, 50);
  EXPECT_EQ(trace.cost().bytes_read, 80);
  EXPECT_EQ(trace.cost().bytes_written, 40);
}

TEST(SiluGate, ItsGradientIsOneCallWithTwoOutputs) {
  const Trace trace = single_op("silu_gate", {{"n", 10}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op, &kSiluGateBackward);
  EXPECT_EQ(trace.results().size(), 2U);
}

}  // namespace
}  // namespace siliconprof
