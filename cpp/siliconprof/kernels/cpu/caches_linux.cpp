#if defined(__linux__)

#include <unistd.h>

#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {

std::vector<DataCache> reported_data_caches() {
  // Not sysconf first: where a socket has several last caches, glibc gives their sum (384 MiB of
  // which a core can use 32).
  std::vector<DataCache> found = data_caches_in("/sys/devices/system/cpu/cpu0/cache");
#if defined(_SC_LEVEL3_CACHE_SIZE)
  if (found.empty() || found.back().bytes <= 0) {
    return {{1, sysconf(_SC_LEVEL1_DCACHE_SIZE)},
            {2, sysconf(_SC_LEVEL2_CACHE_SIZE)},
            {3, sysconf(_SC_LEVEL3_CACHE_SIZE)}};
  }
#endif
  return found;
}

}  // namespace siliconprof::cpu

#endif
