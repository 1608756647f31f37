#pragma once

// Operands of any dtype as float32 or float64: float16 and bfloat16 widened into memory of the
// thread's own, results narrowed at the end.

#include <array>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

inline constexpr std::size_t kMostFloatOperands = 3;

/// Of a thread: for each operand, and then for the result.
struct WideScratch {
  std::array<Scratch, kMostFloatOperands + 1> each;

  float* operand(std::size_t i, std::int64_t n) { return each[i].floats(n); }
  float* result(std::int64_t n) { return each[kMostFloatOperands].floats(n); }
  void trim() {
    for (Scratch& scratch : each) scratch.trim();
  }
};

/// For the one kernel that a thread runs, as kernel_scratch().
inline WideScratch& wide_scratch() {
  static thread_local WideScratch scratch;
  return scratch;
}

/// Calls body(inputs, output) with operands as T; T is what products of the dtype are formed in.
template <class T, class Body>
void with_float_operands(const KernelCall& k, const Body& body) {
  std::array<const T*, kMostFloatOperands> in{};
  if (size_bytes(k.call.dtype) != 2) {
    for (std::size_t i = 0; i < k.inputs.size(); ++i) in[i] = k.inputs[i].as<const T>();
    return body(in, k.outputs[0].as<T>());
  }
  if constexpr (sizeof(T) == sizeof(float)) {
    WideScratch& scratch = wide_scratch();
    for (std::size_t i = 0; i < k.inputs.size(); ++i) {
      float* wide = scratch.operand(i, k.inputs[i].elements());
      widen(k.call.dtype, k.inputs[i].data, wide, k.inputs[i].elements(), k.threads);
      in[i] = wide;
    }
    float* out = scratch.result(k.outputs[0].elements());
    body(in, out);
    narrow(k.call.dtype, out, k.outputs[0].data, k.outputs[0].elements(), k.threads);
    scratch.trim();
  }
}

}  // namespace siliconprof::cpu
