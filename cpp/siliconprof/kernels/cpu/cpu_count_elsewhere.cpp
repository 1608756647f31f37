#if !defined(__linux__)

#include "siliconprof/kernels/cpu/cpu_count.h"

namespace siliconprof::cpu {

std::vector<int> processors_of_mask() { return {}; }

}  // namespace siliconprof::cpu

#endif
