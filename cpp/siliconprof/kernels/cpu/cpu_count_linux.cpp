#if defined(__linux__)

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

std::vector<int> processors_of_this_thread() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) processors.push_back(cpu);
    }
  }
  if (!processors.empty()) return processors;
  processors.resize(std::max(std::thread::hardware_concurrency(), 1U));
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

}  // namespace siliconprof::cpu

#endif
