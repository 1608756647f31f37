#pragma once

// Matrices of halves as the tiles of half_tiles.h take them: panels of kPanelLines lines (rows of A
// or columns of B), kPanelTerms terms at a time, as bfloat16 in pairs of neighbouring terms. A
// float16 is the exact sum of two bfloat16, of which a panel holds both: high and low part.

#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/core/dtype.h"

namespace siliconprof::cpu {

inline constexpr std::int64_t kPanelLines = 32;
inline constexpr std::int64_t kPanelTerms = 32;
inline constexpr std::int64_t kStripLines = 16;
/// Of a panel of rows by one of columns.
inline constexpr std::int64_t kTileSums = kPanelLines * kPanelLines;
/// Pairs in a step of a panel, of each part: two strips of 16 lines, 16 pairs each.
inline constexpr std::int64_t kStepPairs = kPanelLines * kPanelTerms / 2;

/// What elements of a dtype are sums of.
constexpr std::int64_t half_parts(Dtype dtype) { return dtype == Dtype::Float16 ? 2 : 1; }

/// Line i, term l at data[i·line_step + l·term_step]; one of the steps is 1.
struct HalfLines {
  const std::uint16_t* data;
  std::int64_t line_step;
  std::int64_t term_step;
  std::int64_t lines;  // at most kPanelLines
  std::int64_t terms;
};

/// Sums (kPanelLines, kPanelLines), row after row, on their way to C: plus bias (columns), rounded
/// to nearest even.
struct HalfResults {
  const float* sums;
  const std::uint16_t* bias;  // or null
  std::uint16_t* c;
  std::int64_t c_step;
  std::int64_t rows;
  std::int64_t columns;
};

/// A panel is steps of parts of strips, zeros past terms; and past lines, which none needs, too.
/// Packing says whether high and low parts exist: false of float16 that hold NaN or an infinity;
/// always true of bfloat16.
struct HalfPanels {
  bool (*pack_rows)(const HalfLines&, std::uint32_t* to);     // pair p of row r at 16·r + p
  bool (*pack_columns)(const HalfLines&, std::uint32_t* to);  // pair p of column j at 16·p + j
  void (*write)(const HalfResults&);
};

struct HalfPanelKernels {
  std::string_view instruction_set;  // "avx512", "generic"
  HalfPanels float16;
  HalfPanels bfloat16;

  const HalfPanels& of(Dtype dtype) const { return dtype == Dtype::Float16 ? float16 : bfloat16; }
};

/// Those that this CPU can run, best first.
std::span<const HalfPanelKernels* const> runnable_half_panels();

namespace generic {
extern const HalfPanelKernels kHalfPanels;
}
#if defined(__x86_64__)
namespace avx512 {
extern const HalfPanelKernels kHalfPanels;
}
#endif

}  // namespace siliconprof::cpu
