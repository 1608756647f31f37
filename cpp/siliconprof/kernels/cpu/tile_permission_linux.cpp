#if defined(__linux__)

#include "siliconprof/kernels/cpu/tile_permission.h"

#if defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace siliconprof::cpu {

bool may_use_tiles() {
#if defined(__x86_64__)
  // Source: Linux, Documentation/arch/x86/xstate.rst.
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
#else
  return false;
#endif
}

}  // namespace siliconprof::cpu

#endif
