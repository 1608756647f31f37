#if defined(__linux__)

#include <sched.h>

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

std::vector<int> processors_of_mask() {
  std::vector<int> processors;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) processors.push_back(cpu);
  }
  return processors;
}

}  // namespace siliconprof::cpu

#endif
