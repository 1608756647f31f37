#pragma once

// A process forked from one whose OpenMP threads have run has their memory but not the threads: its
// first parallel loop would wait for them for ever.

namespace siliconprof::cpu {

/// From now on OpenMP's threads, whoever started them, end before a fork; parent and child start
/// their own at their next parallel loop.
void end_threads_at_forks();

}  // namespace siliconprof::cpu
