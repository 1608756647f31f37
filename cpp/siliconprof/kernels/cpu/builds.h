#pragma once

// Tables of loops that exist once for each dtype and once for each instruction set.

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {

/// The member of `table` that is named after the dtype. Throws DtypeError for tf32 and int32.
template <class Table>
const auto& of_dtype(const Table& table, Dtype dtype) {
  switch (dtype) {
    case Dtype::Float64:
      return table.float64;
    case Dtype::Float32:
      return table.float32;
    case Dtype::Float16:
      return table.float16;
    case Dtype::BFloat16:
      return table.bfloat16;
    case Dtype::Tf32:
    case Dtype::Int32:
      break;
  }
  throw DtypeError("[cpu] dtype is " + std::string(name(dtype)) +
                   "; needed: float64, float32, float16 or bfloat16");
}

/// One instruction set's loops.
template <class Loops>
struct Build {
  std::string_view instruction_set;  // "avx512", "avx2", "generic"
  Loops float64;
  Loops float32;
  Loops float16;
  Loops bfloat16;

  /// Throws DtypeError for tf32.
  const Loops& of(Dtype dtype) const { return of_dtype(*this, dtype); }
};

/// Those that this CPU can run, best first. The first two are null where they can't be built.
template <class Table>
std::vector<const Table*> runnable_builds(const Table* avx512, const Table* avx2,
                                          const Table& generic) {
  std::vector<const Table*> found;
  if (avx512 != nullptr && cpu_features().has_avx512_kernels()) found.push_back(avx512);
  if (avx2 != nullptr && cpu_features().has_avx2_kernels()) found.push_back(avx2);
  found.push_back(&generic);
  return found;
}

/// The same of a table that namespaces avx512, avx2 and generic hold under one name.
#if defined(__x86_64__)
#define SILICONPROF_RUNNABLE_BUILDS(name) runnable_builds(&avx512::name, &avx2::name, generic::name)
#else
#define SILICONPROF_RUNNABLE_BUILDS(name) \
  runnable_builds<std::remove_cvref_t<decltype(generic::name)>>(nullptr, nullptr, generic::name)
#endif

/// Of one that only avx512 and generic hold.
#if defined(__x86_64__)
#define SILICONPROF_RUNNABLE_WIDE_BUILDS(name)                                          \
  runnable_builds<std::remove_cvref_t<decltype(generic::name)>>(&avx512::name, nullptr, \
                                                                generic::name)
#else
#define SILICONPROF_RUNNABLE_WIDE_BUILDS(name) SILICONPROF_RUNNABLE_BUILDS(name)
#endif

}  // namespace siliconprof::cpu
