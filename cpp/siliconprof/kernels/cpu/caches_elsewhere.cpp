#if !defined(__linux__)

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include <cstddef>

#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {

std::vector<DataCache> reported_data_caches() {
#if defined(__APPLE__)
  std::int64_t bytes = 0;
  std::size_t size = sizeof bytes;
  if (sysctlbyname("hw.perflevel0.l2cachesize", &bytes, &size, nullptr, 0) == 0) {
    return {{.level = 3, .bytes = bytes}};  // a cluster's, as last caches are elsewhere
  }
#endif
  return {};
}

}  // namespace siliconprof::cpu

#endif
