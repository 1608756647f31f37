#if defined(__linux__)

#include "siliconprof/kernels/cpu/arm_capabilities.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace siliconprof::cpu {

ArmCapabilities arm_capabilities() {
  ArmCapabilities found;
#if defined(__aarch64__)
  // Bits of the Linux arm64 ELF HWCAP interface.
  const unsigned long hwcap = getauxval(AT_HWCAP);
  const unsigned long hwcap2 = getauxval(AT_HWCAP2);
  found.neon = (hwcap >> 1) & 1;
  found.asimdhp = (hwcap >> 10) & 1;
  found.bf16 = (hwcap2 >> 14) & 1;
#endif
  return found;
}

}  // namespace siliconprof::cpu

#endif
