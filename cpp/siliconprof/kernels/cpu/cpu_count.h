#pragma once

// Which processors this process may use.

#include <vector>

namespace siliconprof::cpu {

/// By number, ascending. OpenMP's places where it binds threads to them (OMP_PROC_BIND): it binds
/// the first one as soon as it is loaded, whose affinity mask then has one processor. Else that
/// mask on Linux (a container or taskset narrows it), all processors elsewhere.
std::vector<int> usable_processors();

int usable_cpus();

/// Of the calling thread's affinity mask; none where the system has no masks.
std::vector<int> processors_of_mask();

}  // namespace siliconprof::cpu
