#include "siliconprof/kernels/cpu/gradient_scaling.h"

#include <atomic>
#include <cmath>

#include "siliconprof/kernels/cpu/in_place.h"
#include "siliconprof/kernels/cpu/only_element.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/training_kernels.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"
#include "siliconprof/kernels/reference/loss_scale.h"

namespace siliconprof::cpu {

void run_square_sum(const KernelCall& k) {
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto dot = vector_kernels().elements(k.call.dtype).softmax.dot;
  const char* x = k.inputs[0].as<const char>();
  const double sum =
      sum_in_blocks(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
        return dot(x + begin * size, x + begin * size, end - begin);
      });
  set_only_element(k.outputs[0], only_element(k.inputs[1]) + sum);
}

void run_clip(const KernelCall& k) {
  const double ratio = k.call.attributes[0] / (std::sqrt(only_element(k.inputs[1])) + 1e-6);
  const double factor = ratio > 1 ? 1 : ratio;  // a NaN stays
  const bool stream = exceeds_cache(k) && !updates_an_input(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto scale = vector_kernels().elements(k.call.dtype).scale;
  const char* g = k.inputs[0].as<const char>();
  char* out = k.outputs[0].as<char>();
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    scale(g + begin * size, factor, out + begin * size, end - begin, stream);
  });
}

void run_unscale(const KernelCall& k) {
  const double inverse = 1 / only_element(k.inputs[1]);
  const double found = only_element(k.inputs[2]);
  const bool stream = exceeds_cache(k) && !updates_an_input(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto unscale = training_kernels().of(k.call.dtype).unscale;
  const char* g = k.inputs[0].as<const char>();
  char* out = k.outputs[0].as<char>();
  std::atomic<bool> all_finite = true;
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    if (!unscale(g + begin * size, inverse, out + begin * size, end - begin, stream)) {
      all_finite = false;
    }
  });
  set_only_element(k.outputs[1], all_finite ? found : 1.0);
}

void run_update_scale(const KernelCall& k) {
  with_element_type(k.inputs[0].dtype, [&]<class T>() {
    reference::update_scale<T>(k.call, k.inputs[0].as<const T>(), k.inputs[1].as<const T>(),
                               k.inputs[2].as<const T>(), k.outputs[0].as<T>(),
                               k.outputs[1].as<T>());
  });
}

}  // namespace siliconprof::cpu
