#include "siliconprof/kernels/cpu/cross_entropy.h"

#include <cmath>

#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/loss_rows.h"

namespace siliconprof::cpu {

void run_cross_entropy(const KernelCall& k) {
  check_indices(k);
  const std::int64_t rows = k.call.dims[0];
  const std::int64_t v = k.call.dims[1];
  const LossLoops& loops = loss_loops(k.call.dtype);
  const std::int64_t row_bytes = v * size_bytes(k.call.dtype);
  const char* logits = k.inputs[0].as<const char>();
  const auto* target = k.inputs[1].as<const std::int32_t>();
  mean_loss(k, rows, row_bytes, [&, n = v](std::int64_t row, double& score) {
    score = element(k.inputs[0], row * n + target[row]);
    return logarithm(loops.exp_sum(logits + row * row_bytes, n, 1.0));
  });
}

void run_cross_entropy_backward(const KernelCall& k) {
  check_indices(k);
  const std::int64_t rows = k.call.dims[0];
  const std::int64_t v = k.call.dims[1];
  const LossLoops& loops = loss_loops(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const std::int64_t n = v;
  const std::int64_t row_bytes = n * size_bytes(k.call.dtype);
  const double factor = element(k.inputs[3], 0) / double(rows);
  const char* logits = k.inputs[0].as<const char>();
  const auto* target = k.inputs[1].as<const std::int32_t>();
  char* dlogits = k.outputs[0].as<char>();
  run_in_pieces(k, rows, 2 * row_bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t hit = row * n + target[row];
      const char* x = logits + row * row_bytes;
      const RowShares shares =
          row_shares(element(k.inputs[2], row), factor, [&] { return loops.exp_sum(x, n, 1.0); });
      const double of_target =  // before it is replaced
          shares.factor * std::exp(element(k.inputs[0], hit) - shares.reference);
      loops.shares(x, n, 1.0, shares.reference, shares.factor, dlogits + row * row_bytes, stream);
      set_element(k.outputs[0], hit, of_target - factor);
    }
  });
}

}  // namespace siliconprof::cpu
