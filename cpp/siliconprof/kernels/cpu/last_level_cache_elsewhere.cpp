#if !defined(__linux__)

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include <cstddef>

#include "siliconprof/kernels/cpu/last_level_cache.h"

namespace siliconprof::cpu {

std::int64_t reported_last_level_cache_bytes() {
#if defined(__APPLE__)
  std::int64_t bytes = 0;
  std::size_t size = sizeof bytes;
  return sysctlbyname("hw.perflevel0.l2cachesize", &bytes, &size, nullptr, 0) == 0 ? bytes : 0;
#else
  return 0;
#endif
}

}  // namespace siliconprof::cpu

#endif
