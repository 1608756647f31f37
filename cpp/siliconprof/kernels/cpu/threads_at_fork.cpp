#include "siliconprof/kernels/cpu/threads_at_fork.h"

#if defined(_OPENMP)
#include <omp.h>
#include <pthread.h>
#endif

namespace siliconprof::cpu {

void end_threads_at_forks() {
#if defined(_OPENMP)
  // Those of the thread that forks: the child has no other thread. Refused within a parallel loop.
  static const int once = pthread_atfork(
      [] { static_cast<void>(omp_pause_resource_all(omp_pause_soft)); }, nullptr, nullptr);
  static_cast<void>(once);
#endif
}

}  // namespace siliconprof::cpu
