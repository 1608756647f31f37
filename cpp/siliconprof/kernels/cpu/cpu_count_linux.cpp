#if defined(__linux__)

#include <sched.h>

#include <algorithm>
#include <thread>

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

int usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(CPU_COUNT(&mask), 1);
  return std::max(int(std::thread::hardware_concurrency()), 1);
}

}  // namespace siliconprof::cpu

#endif
