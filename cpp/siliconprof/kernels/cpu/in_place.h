#pragma once

// What kernels that may update their inputs ask of a call.

#include <algorithm>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// True when an output is the memory of an input: its lines are in the caches when it is written.
inline bool updates_an_input(const KernelCall& k) {
  return std::any_of(k.outputs.begin(), k.outputs.end(), [&](const TensorView& out) {
    return std::any_of(k.inputs.begin(), k.inputs.end(),
                       [&](const TensorView& in) { return in.data == out.data; });
  });
}

/// Bytes that all operands of an element-wise call have at one index.
inline std::int64_t bytes_an_index(const KernelCall& k) {
  std::int64_t bytes = 0;
  for (const TensorView& view : k.inputs) bytes += size_bytes(view.dtype);
  for (const TensorView& view : k.outputs) bytes += size_bytes(view.dtype);
  return bytes;
}

}  // namespace siliconprof::cpu
