#if !defined(__linux__)

#include "siliconprof/kernels/cpu/arm_capabilities.h"

#if defined(__APPLE__)
#include <sys/sysctl.h>

#include <cstddef>
#endif

namespace siliconprof::cpu {
namespace {

#if defined(__APPLE__)
/// False also where the system doesn't know the name.
bool system_says(const char* name) {
  int value = 0;
  std::size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}
#endif

}  // namespace

// What the compiler was told, and on a Mac, whose target names its first processor's, what the
// system says of this one.
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
#if defined(__APPLE__)
  found.asimdhp = found.asimdhp || system_says("hw.optional.arm.FEAT_FP16");
  found.bf16 = found.bf16 || system_says("hw.optional.arm.FEAT_BF16");
#endif
  return found;
}

}  // namespace siliconprof::cpu

#endif
