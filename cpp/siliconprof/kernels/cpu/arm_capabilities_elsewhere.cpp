#if !defined(__linux__)

#include "siliconprof/kernels/cpu/arm_capabilities.h"

namespace siliconprof::cpu {

// What the compiler was told: Apple's arm64 target names its baseline.
ArmCapabilities arm_capabilities() {
  ArmCapabilities found;
#if defined(__ARM_NEON)
  found.neon = true;
#endif
#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
  found.asimdhp = true;
#endif
#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
  found.bf16 = true;
#endif
  return found;
}

}  // namespace siliconprof::cpu

#endif
