#if !defined(__linux__)

#include <algorithm>
#include <numeric>
#include <thread>

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

std::vector<int> processors_of_this_thread() {
  std::vector<int> processors(std::max(std::thread::hardware_concurrency(), 1U));
  std::iota(processors.begin(), processors.end(), 0);
  return processors;
}

}  // namespace siliconprof::cpu

#endif
