#pragma once

// Products of float16 and bfloat16 matrices without copies in float32, by the tiles of
// half_tiles.h. Sums are formed in float32 and rounded once, the same for any thread count.

#include <cstdint>
#include <string>
#include <vector>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/gemm_product.h"
#include "siliconprof/kernels/cpu/half_panels.h"
#include "siliconprof/kernels/cpu/half_tiles.h"
#include "siliconprof/kernels/cpu/made_rows.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

/// C (m, n) = A·B + bias, all of one 16-bit dtype. A(i, l) at a[i·a_row + l·a_column], B(l, j) at
/// b[l·b_row + j·b_column], one step of each being 1; bias (n) or null; C's rows follow each other.
/// Or, in bfloat16, A's rows are made, from first_row on, or B's, or its columns; and C's rows lie
/// in places.
struct HalfProduct {
  Dtype dtype;
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
  const std::uint16_t* a;
  std::int64_t a_row;
  std::int64_t a_column;
  const std::uint16_t* b;
  std::int64_t b_row;
  std::int64_t b_column;
  std::uint16_t* c;
  const std::uint16_t* bias = nullptr;
  const MadeRows* made_a = nullptr;
  const MadeRows* made_b = nullptr;
  const MadeRows* made_b_columns = nullptr;  // a row of it is a column of B
  const RowPlaces* places = nullptr;
  std::int64_t first_row = 0;  // of made_a and of places: where row 0 of this product is

  /// On its way into panels something is made; rows of A go there at once.
  bool makes() const { return made_b != nullptr || made_b_columns != nullptr; }
};

/// The product of this shape, without its operands.
HalfProduct half_product(Dtype dtype, const GemmProduct<float>& shape);

/// Which build of the loops multiplies.
struct HalfMachine {
  const HalfPanelKernels* panels;
  const HalfTileKernels* tiles;
};

/// All pairs of builds that this CPU can run, best first.
std::vector<HalfMachine> runnable_half_machines();

/// Multiplies; k gives threads and poll. False, with C left in any state, where float16 operands
/// hold NaN or an infinity.
bool multiply_halves(const KernelCall& k, const HalfProduct& product, const HalfMachine& machine);

/// What that takes: of kernel_scratch() rows and columns in panels, of wide_scratch() sums that
/// wait for more terms.
struct HalfScratch {
  ScratchBytes panels;
  std::int64_t sums_bytes;
};
HalfScratch half_scratch(const HalfProduct& product, const HalfMachine& machine, int threads);

}  // namespace siliconprof::cpu
