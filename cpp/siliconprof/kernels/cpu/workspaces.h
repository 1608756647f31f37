#pragma once

// What a run takes beside the tensors of a trace: what kernels keep for themselves, and the ends of
// huge pages.

#include <cstdint>
#include <string_view>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof::cpu {

/// Memory that is taken at the call that needs most, and kept for the next.
struct Workspace {
  std::string_view name;
  std::int64_t bytes;
  bool operator==(const Workspace&) const = default;
};

/// Those of the openblas engine that aren't 0: scratch that kernels share (weights of convolutions
/// and linear layers in panels, partial sums, factors of Winograd's products), what OpenBLAS
/// copies, operands of float16 and bfloat16 as float32 or, where the CPU has matrix tiles, in
/// panels (an upper bound of float16 there, and where OpenBLAS has a product of bfloat16), and what
/// of the last huge page of each block isn't its own. Left out: sums of norms' gradients, copies of
/// data whose channels fill no vectors, parts of deep products, what threads pack of products in a
/// batch, what sorts, scatters, rotary positions and log_mel keep, and a convolution of bfloat16 by
/// infinite weights, which goes by float32.
std::vector<Workspace> workspaces(const Trace& trace, int threads);

}  // namespace siliconprof::cpu
