#pragma once

// Sets a library's thread count for a while. An OpenMP library takes it from the calling thread's
// OpenMP setting, which belongs to the program and is put back.

#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/product_functions.h"

namespace siliconprof::cpu {

class ThreadScope {
 public:
  ThreadScope(const ProductFunctions& functions, int threads) {
#if defined(_OPENMP)
    before_ = omp_get_max_threads();
    omp_set_num_threads(threads);
#endif
    functions.set_threads(threads);
  }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope() {
#if defined(_OPENMP)
    omp_set_num_threads(before_);
#endif
  }

 private:
#if defined(_OPENMP)
  int before_ = 1;
#endif
};

}  // namespace siliconprof::cpu
