#pragma once

// Kernels of layer_norm, rms_norm and their gradients for all CPU dtypes, and group_norm's where a
// group's channels follow each other; the engines share them. Rows are read from memory once, from
// cache again. One thread works on a row. The same result for any thread count.

#include <array>
#include <cstdint>

#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// Rows of n elements; row r has the weights of group r % groups.
struct NormShape {
  std::int64_t rows;
  std::int64_t n;
  std::int64_t groups;
};

void run_layer_norm(const KernelCall& call, const NormShape& shape);
void run_layer_norm_backward(const KernelCall& call, const NormShape& shape);
void run_rms_norm(const KernelCall& call);
void run_rms_norm_backward(const KernelCall& call);

inline NormShape rows_of_norm(const KernelCall& k) { return {k.call.dims[0], k.call.dims[1], 1}; }

inline constexpr std::array<Kernel, 4> kLayerNormKernels{{
    {"layer_norm", [](const KernelCall& k) { run_layer_norm(k, rows_of_norm(k)); }},
    {"layer_norm_backward",
     [](const KernelCall& k) { run_layer_norm_backward(k, rows_of_norm(k)); }},
    {"rms_norm", run_rms_norm},
    {"rms_norm_backward", run_rms_norm_backward},
}};

}  // namespace siliconprof::cpu
