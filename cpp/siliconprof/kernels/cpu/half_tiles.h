#pragma once

// Products of two panels of half_panels.h: by the matrix tiles of AMX (TDPBF16PS), by AVX-512's dot
// products (VDPBF16PS), and in plain loops. Products are exact in float32 and summed there. The
// first two take numbers below 2⁻¹²⁶ for 0, operands, products and sums alike, which parts of a
// float16 never are, and round to nearest even. Source: Intel SDM volume 2.

#include <cstdint>
#include <span>
#include <string_view>

namespace siliconprof::cpu {

/// C (kPanelLines, kPanelLines), row after row, = A·B of one panel of rows and one of columns, or
/// C + A·B with accumulate.
struct HalfTile {
  const std::uint32_t* a;
  const std::uint32_t* b;
  std::int64_t steps;
  std::int64_t parts;
  float* c;
  bool accumulate;
};

struct HalfTileKernels {
  std::string_view instruction_set;  // "amx", "avx512_bf16", "generic"
  double times_float32;              // its pace, for sharing: of about so many float32 products
  void (*begin)();                   // on each thread, before tiles
  void (*multiply)(const HalfTile&);
  void (*end)();
};

/// Those that this CPU and its system can run, best first.
std::span<const HalfTileKernels* const> runnable_half_tiles();

namespace generic {
extern const HalfTileKernels kHalfTiles;
}
#if defined(__x86_64__)
namespace amx {
extern const HalfTileKernels kHalfTiles;
}
namespace avx512_bf16 {
extern const HalfTileKernels kHalfTiles;
}
#endif

}  // namespace siliconprof::cpu
