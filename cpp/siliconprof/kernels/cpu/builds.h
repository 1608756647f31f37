#pragma once

// Tables of loops that exist once for each dtype and once for each instruction set.

#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

/// One instruction set's loops.
template <class Loops>
struct Build {
  std::string_view instruction_set;  // "avx512", "avx2", "generic"
  Loops float64;
  Loops float32;
  Loops float16;
  Loops bfloat16;

  /// Throws DtypeError for tf32.
  const Loops& of(Dtype dtype) const {
    switch (dtype) {
      case Dtype::Float64:
        return float64;
      case Dtype::Float32:
        return float32;
      case Dtype::Float16:
        return float16;
      case Dtype::BFloat16:
        return bfloat16;
      case Dtype::Tf32:
      case Dtype::Int32:
        break;
    }
    throw DtypeError("[cpu] dtype is " + std::string(name(dtype)) +
                     "; needed: float64, float32, float16 or bfloat16");
  }
};

/// Those that this CPU can run, best first. The first two are null where they can't be built.
template <class Loops>
std::vector<const Build<Loops>*> runnable_builds(const Build<Loops>* avx512,
                                                 const Build<Loops>* avx2,
                                                 const Build<Loops>& generic) {
  std::vector<const Build<Loops>*> found;
  if (avx512 != nullptr && cpu_features().has_avx512_kernels()) found.push_back(avx512);
  if (avx2 != nullptr && cpu_features().has_avx2_kernels()) found.push_back(avx2);
  found.push_back(&generic);
  return found;
}

}  // namespace siliconprof::cpu
