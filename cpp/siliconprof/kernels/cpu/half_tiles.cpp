#include "siliconprof/kernels/cpu/half_tiles.h"

#include <vector>

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/tile_permission.h"

namespace siliconprof::cpu {

std::span<const HalfTileKernels* const> runnable_half_tiles() {
  static const auto runnable = [] {
    std::vector<const HalfTileKernels*> found;
#if defined(__x86_64__)
    const CpuFeatures& cpu = cpu_features();
    if (cpu.amx_tile && cpu.amx_bf16 && may_use_tiles()) found.push_back(&amx::kHalfTiles);
    if (cpu.avx512_bf16 && cpu.has_avx512_kernels()) found.push_back(&avx512_bf16::kHalfTiles);
#endif
    found.push_back(&generic::kHalfTiles);
    return found;
  }();
  return runnable;
}

}  // namespace siliconprof::cpu
