#pragma once

// How many processors this process may use.

namespace siliconprof::cpu {

/// The affinity mask's count on Linux (a container or taskset narrows it), all processors
/// elsewhere.
int usable_cpus();

}  // namespace siliconprof::cpu
