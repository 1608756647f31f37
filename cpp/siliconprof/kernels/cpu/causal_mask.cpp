#include "siliconprof/kernels/cpu/causal_mask.h"

#include <algorithm>
#include <limits>

#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/row_kernels.h"

namespace siliconprof::cpu {
namespace {

void hide(const KernelCall& k, double hidden) {
  const std::int64_t batch = k.call.dims[0];
  const std::int64_t rows = k.call.dims[1];
  const std::int64_t columns = k.call.dims[2];
  if (columns == 0) return;
  const RowLoops& loops = row_loops(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const std::int64_t all_rows = rows;
  const std::int64_t n = columns;
  const std::int64_t row_bytes = n * size_bytes(k.call.dtype);
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  run_in_pieces(k, batch * rows, 2 * row_bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end;) {
      const std::int64_t first = row % all_rows;  // a share may begin in the midst of a matrix
      const std::int64_t count = std::min(end - row, all_rows - first);
      loops.mask(x + row * row_bytes, hidden, y + row * row_bytes, first, count, n,
                 n - all_rows + 1, stream);
      row += count;
    }
  });
}

}  // namespace

void run_causal_mask(const KernelCall& k) { hide(k, -std::numeric_limits<double>::infinity()); }
void run_causal_mask_backward(const KernelCall& k) { hide(k, 0.0); }

}  // namespace siliconprof::cpu
