#include "siliconprof/kernels/cpu/nt_xent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "siliconprof/kernels/cpu/loss_rows.h"

namespace siliconprof::cpu {
namespace {

std::int64_t positive_of(std::int64_t row, std::int64_t rows) { return (row + rows / 2) % rows; }

ExpSum sum_of(const ExpSum& a, const ExpSum& b) {
  const double reference = std::max(a.reference, b.reference);
  const auto part = [reference](const ExpSum& sum) {
    return sum.total == 0 ? 0 : sum.total * std::exp(sum.reference - reference);
  };
  const double total = part(a) + part(b);
  // A row that is masked as a whole has no loss: its largest is -inf, which is NaN less itself.
  return {reference, total == 0 ? std::numeric_limits<double>::quiet_NaN() : total};
}

/// 1/temperature as the loops' lanes have it: of great scores, another rounding would be seen.
double scale_of(const OpCall& call) {
  const double scale = 1 / call.attributes[0];
  return call.dtype == Dtype::Float64 ? scale : double(float(scale));
}

/// Of a row but for its element on the diagonal.
ExpSum row_sum(const LossLoops& loops, const char* x, std::int64_t row, const OpCall& call,
               double scale) {
  const std::int64_t rows = call.dims[0];
  const std::int64_t after = (row + 1) * size_bytes(call.dtype);
  return sum_of(loops.exp_sum(x, row, scale), loops.exp_sum(x + after, rows - row - 1, scale));
}

}  // namespace

void run_nt_xent(const KernelCall& k) {
  const std::int64_t rows = k.call.dims[0];
  const LossLoops& loops = loss_loops(k.call.dtype);
  const std::int64_t size = size_bytes(k.call.dtype);
  const double scale = scale_of(k.call);
  const char* similarity = k.inputs[0].as<const char>();
  mean_loss(k, rows, rows * size, [&](std::int64_t row, double& score) {
    score = element(k.inputs[0], row * rows + positive_of(row, rows)) * scale;
    return logarithm(row_sum(loops, similarity + row * rows * size, row, k.call, scale));
  });
}

void run_nt_xent_backward(const KernelCall& k) {
  const std::int64_t rows = k.call.dims[0];
  if (rows == 0) return;
  const LossLoops& loops = loss_loops(k.call.dtype);
  const std::int64_t size = size_bytes(k.call.dtype);
  const double scale = scale_of(k.call);
  const double factor = element(k.inputs[2], 0) * scale / double(rows);
  const bool stream = exceeds_cache(k);
  const char* similarity = k.inputs[0].as<const char>();
  char* slopes = k.outputs[0].as<char>();
  run_in_pieces(k, rows, 2 * rows * size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t hit = row * rows + positive_of(row, rows);
      const std::int64_t at = row * rows * size;
      const std::int64_t after = at + (row + 1) * size;
      const RowShares shares = row_shares(element(k.inputs[1], row), factor, [&] {
        return row_sum(loops, similarity + at, row, k.call, scale);
      });
      const auto write = [&](std::int64_t first, std::int64_t n) {
        loops.shares(similarity + first, n, scale, shares.reference, shares.factor, slopes + first,
                     stream);
      };
      const double of_positive =  // before it is replaced
          shares.factor * std::exp(element(k.inputs[0], hit) * scale - shares.reference);
      write(at, row);
      write(after, rows - row - 1);
      set_element(k.outputs[0], row * (rows + 1), 0.0);
      set_element(k.outputs[0], hit, of_positive - factor);
    }
  });
}

}  // namespace siliconprof::cpu
