#include "siliconprof/kernels/cpu/element_functions.h"

#include "siliconprof/kernels/cpu/only_element.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

const FunctionKernels& functions(const KernelCall& k) {
  return vector_kernels().elements(k.call.dtype).functions;
}

/// out[i] = f(x[i]) on all threads.
void map_one(const KernelCall& k, MapOne loop, const TensorView& x, const double* parameters) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(x.dtype);
  const char* from = x.as<const char>();
  char* out = k.outputs[0].as<char>();
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    loop(from + at, parameters, out + at, end - begin, stream);
  });
}

/// out[i] = f(x[i], y[i]) on all threads.
void map_two(const KernelCall& k, MapTwo loop, const TensorView& x, const TensorView& y,
             const double* parameters) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(x.dtype);
  const char* a = x.as<const char>();
  const char* b = y.as<const char>();
  char* out = k.outputs[0].as<char>();
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    loop(a + at, b + at, parameters, out + at, end - begin, stream);
  });
}

/// Σ f(x[i], y[i]) over the two inputs.
double sum_two(const KernelCall& k, SumTwo loop) {
  const std::int64_t size = size_bytes(k.call.dtype);
  const char* a = k.inputs[0].as<const char>();
  const char* b = k.inputs[1].as<const char>();
  return sum_in_blocks(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    return loop(a + begin * size, b + begin * size, end - begin);
  });
}

}  // namespace

void run_activation(const KernelCall& k, Activation activation) {
  map_one(k, (functions(k).*activation).forward, k.inputs[0], k.call.attributes.data());
}

void run_activation_backward(const KernelCall& k, Activation activation) {
  map_two(k, (functions(k).*activation).backward, k.inputs[0], k.inputs[1],
          k.call.attributes.data());
}

void run_prelu(const KernelCall& k) {
  const double weight = only_element(k.inputs[1]);
  map_one(k, functions(k).leaky_relu.forward, k.inputs[0], &weight);
}

void run_prelu_backward(const KernelCall& k) {
  const double weight = only_element(k.inputs[1]);
  map_two(k, functions(k).leaky_relu.backward, k.inputs[0], k.inputs[2], &weight);
}

void run_prelu_weight_backward(const KernelCall& k) {
  set_only_element(k.outputs[0], sum_two(k, functions(k).prelu_weight));
}

void run_bce(const KernelCall& k) {
  set_only_element(k.outputs[0], -sum_two(k, functions(k).bce) / double(k.call.dims[0]));
}

void run_bce_backward(const KernelCall& k) {
  const double scale = only_element(k.inputs[2]) / double(k.call.dims[0]);
  map_two(k, functions(k).bce_backward, k.inputs[0], k.inputs[1], &scale);
}

void run_bce_target_backward(const KernelCall& k) {
  const double scale = only_element(k.inputs[1]) / double(k.call.dims[0]);
  map_one(k, functions(k).bce_target_backward, k.inputs[0], &scale);
}

}  // namespace siliconprof::cpu
