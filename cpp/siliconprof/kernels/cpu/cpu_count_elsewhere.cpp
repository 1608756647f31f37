#if !defined(__linux__)

#include <algorithm>
#include <thread>

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

int usable_cpus() { return std::max(int(std::thread::hardware_concurrency()), 1); }

}  // namespace siliconprof::cpu

#endif
