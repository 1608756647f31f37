#include "siliconprof/kernels/cpu/arm_capabilities.h"

#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

TEST(ArmCapabilities, NeonIsThereOnArm64AndNowhereElse) {
#if defined(__aarch64__)
  EXPECT_TRUE(arm_capabilities().neon);
#else
  const ArmCapabilities found = arm_capabilities();
  EXPECT_FALSE(found.neon || found.asimdhp || found.bf16);
#endif
}

}  // namespace
}  // namespace siliconprof::cpu
