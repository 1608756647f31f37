#pragma once

// Operands of any dtype as float32 or float64: float16 and bfloat16 widened into memory of the
// thread's own, results narrowed at the end.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

/// Calls body(inputs, output) with operands as T; T is what products of the dtype are formed in.
template <class T, class Body>
void with_float_operands(const KernelCall& k, const Body& body) {
  constexpr std::size_t kMost = 3;
  std::array<const T*, kMost> in{};
  if (size_bytes(k.call.dtype) != 2) {
    for (std::size_t i = 0; i < k.inputs.size(); ++i) in[i] = k.inputs[i].as<const T>();
    return body(in, k.outputs[0].as<T>());
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    static thread_local std::array<Scratch, kMost + 1> scratch;
    for (std::size_t i = 0; i < k.inputs.size(); ++i) {
      float* wide = scratch[i].floats(k.inputs[i].elements());
      widen(k.call.dtype, k.inputs[i].data, wide, k.inputs[i].elements(), k.threads);
      in[i] = wide;
    }
    float* out = scratch[kMost].floats(k.outputs[0].elements());
    body(in, out);
    narrow(k.call.dtype, out, k.outputs[0].data, k.outputs[0].elements(), k.threads);
    for (Scratch& each : scratch) each.trim();
  }
}

}  // namespace siliconprof::cpu
