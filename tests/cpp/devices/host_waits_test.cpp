#include "siliconprof/devices/host_waits.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Trace tiny_step(const char* workload, Precision precision) {
  return training_step(
      {.workload = workload, .sizes = {{"layers", 1}, {"batch", 1}}, .precision = precision});
}

TEST(HostWaits, OnceForTheOverflowOfScaledGradients) {
  const Trace trace = tiny_step("gpt2-small", Precision::AmpFp16);
  const auto waits = host_waits(trace, false);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(trace.calls()[std::size_t(waits[0]) - 1].op->name, "unscale");
  EXPECT_NE(trace.calls()[std::size_t(waits[0])].op->name, "unscale");
}

TEST(HostWaits, NowhereWithoutScaling) {
  EXPECT_TRUE(host_waits(tiny_step("gpt2-small", Precision::Fp32), true).empty());
}

TEST(HostWaits, EagerProgramsLookAtADecodersTokens) {
  const Trace trace = training_step({.workload = "whisper-tiny", .sizes = {{"batch", 1}}});
  EXPECT_TRUE(host_waits(trace, false).empty());
  EXPECT_EQ(host_waits(trace, true).size(), 1U);
}

}  // namespace
}  // namespace siliconprof
