#include "siliconprof/kernels/cpu/normalise.h"

#include <algorithm>
#include <cmath>

#include "siliconprof/kernels/cpu/norm_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

/// Calls body(row, first byte) for each row.
template <class Body>
void for_rows(const KernelCall& k, std::int64_t arrays, const Body& body) {
  const std::int64_t row_bytes = k.call.dims[1] * size_bytes(k.call.dtype);
  const std::int64_t bytes = std::max<std::int64_t>(1, arrays * row_bytes);
  run_in_pieces(k, k.call.dims[0], bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) body(row, row * row_bytes);
    norm_loops(k.call.dtype).fence();
  });
}

/// The norm, or epsilon where that is larger; a NaN stays.
double kept_norm(const KernelCall& k, double norm) {
  return norm <= k.call.attributes[0] ? k.call.attributes[0] : norm;
}

}  // namespace

void run_normalise(const KernelCall& k) {
  const NormLoops& loops = norm_loops(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const std::int64_t n = k.call.dims[1];
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  const TensorView& norms = k.outputs[1];
  for_rows(k, 2, [&](std::int64_t row, std::int64_t at) {
    const double norm = std::sqrt(loops.square_sum(x + at, n));
    if (norms.dtype == Dtype::Float64) {
      norms.as<double>()[row] = norm;
    } else {
      norms.as<float>()[row] = float(norm);
    }
    loops.affine(x + at, 0, 1 / kept_norm(k, norm), 0, y + at, n, stream);
  });
}

void run_normalise_backward(const KernelCall& k) {
  const NormLoops& loops = norm_loops(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const std::int64_t n = k.call.dims[1];
  const char* y = k.inputs[0].as<const char>();
  const TensorView& norms = k.inputs[1];
  const char* dy = k.inputs[2].as<const char>();
  char* dx = k.outputs[0].as<char>();
  for_rows(k, 3, [&](std::int64_t row, std::int64_t at) {
    const double norm = norms.dtype == Dtype::Float64 ? norms.as<const double>()[row]
                                                      : double(norms.as<const float>()[row]);
    const double factor = 1 / kept_norm(k, norm);
    double sum = 0;
    double dot = 0;
    // Up to epsilon the divisor is constant.
    if (!(norm <= k.call.attributes[0])) loops.slope_sums(y + at, dy + at, n, 0, &sum, &dot);
    loops.blend(y + at, dy + at, 0, -dot * factor, factor, 0, dx + at, n, stream);
  });
}

}  // namespace siliconprof::cpu
