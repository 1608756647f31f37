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

}  // namespace

void run_nt_xent(const KernelCall& k) {
  const std::int64_t rows = k.call.dims[0];
  const LossLoops& loops = loss_loops(k.call.dtype);
  const std::int64_t size = size_bytes(k.call.dtype);
  const double scale = 1 / k.call.attributes[0];
  const char* similarity = k.inputs[0].as<const char>();
  mean_loss(k, rows, rows * size, [&](std::int64_t row, double& score) {
    score = element(k.inputs[0], row * rows + positive_of(row, rows)) * scale;
    const char* x = similarity + row * rows * size;
    return logarithm(sum_of(loops.exp_sum(x, row, scale),
                            loops.exp_sum(x + (row + 1) * size, rows - row - 1, scale)));
  });
}

void run_nt_xent_backward(const KernelCall& k) {
  const std::int64_t rows = k.call.dims[0];
  if (rows == 0) return;
  const LossLoops& loops = loss_loops(k.call.dtype);
  const std::int64_t size = size_bytes(k.call.dtype);
  const double scale = 1 / k.call.attributes[0];
  const double factor = element(k.inputs[2], 0) * scale / double(rows);
  const bool stream = exceeds_cache(k);
  const char* similarity = k.inputs[0].as<const char>();
  char* slopes = k.outputs[0].as<char>();
  run_in_pieces(k, rows, 2 * rows * size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t hit = row * rows + positive_of(row, rows);
      const double lse = element(k.inputs[1], row);
      const double share = std::exp(element(k.inputs[0], hit) * scale - lse);
      const std::int64_t at = row * rows * size;
      const std::int64_t after = at + (row + 1) * size;
      loops.shares(similarity + at, row, scale, lse, factor, slopes + at, stream);
      loops.shares(similarity + after, rows - row - 1, scale, lse, factor, slopes + after, stream);
      set_element(k.outputs[0], row * (rows + 1), 0.0);
      set_element(k.outputs[0], hit, factor * (share - 1));
    }
  });
}

}  // namespace siliconprof::cpu
