#pragma once

// Loops that do nothing but independent multiply-adds in registers, for finding a core's peak.

#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/core/dtype.h"

namespace siliconprof::cpu {

struct FmaChains {
  Dtype dtype;
  std::string_view instruction;  // "AVX-512 FMA", "vdpbf16ps", ...
  double flops_per_step;         // a multiply-add is 2
  /// Runs the steps and writes at most 64 bytes that depend on all of them to `sink`.
  void (*run)(std::int64_t steps, void* sink);
};

/// Those that this CPU can run, best first within a dtype. float64 and float32 are always there.
std::span<const FmaChains> runnable_fma_chains();

/// The best for the dtype. Throws DtypeError, naming those that this CPU multiplies by itself.
const FmaChains& find_fma_chains(Dtype dtype);

}  // namespace siliconprof::cpu
