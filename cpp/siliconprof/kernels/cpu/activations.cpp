#include "siliconprof/kernels/cpu/activations.h"

#include "siliconprof/kernels/cpu/element_pieces.h"

namespace siliconprof::cpu {

void run_activation(const KernelCall& k, Activation activation) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto loop = (vector_kernels().elements(k.call.dtype).functions.*activation).forward;
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    loop(x + at, k.call.attributes.data(), y + at, end - begin, stream);
  });
}

void run_activation_backward(const KernelCall& k, Activation activation) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto loop = (vector_kernels().elements(k.call.dtype).functions.*activation).backward;
  const char* x = k.inputs[0].as<const char>();
  const char* dy = k.inputs[1].as<const char>();
  char* dx = k.outputs[0].as<char>();
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    loop(x + at, dy + at, k.call.attributes.data(), dx + at, end - begin, stream);
  });
}

}  // namespace siliconprof::cpu
