#if defined(__linux__)

#include <unistd.h>

#include "siliconprof/kernels/cpu/last_level_cache.h"

namespace siliconprof::cpu {

std::int64_t reported_last_level_cache_bytes() {
  // Not sysconf first: where a socket has several such caches, glibc gives their sum (384 MiB of
  // which a core can use 32).
  const std::int64_t listed = last_level_cache_bytes_in("/sys/devices/system/cpu/cpu0/cache");
  if (listed > 0) return listed;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  return std::int64_t{sysconf(_SC_LEVEL3_CACHE_SIZE)};
#else
  return 0;  // a C library other than glibc
#endif
}

}  // namespace siliconprof::cpu

#endif
