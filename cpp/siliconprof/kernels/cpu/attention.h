#pragma once

// Kernels of attention, attention_qkv and their backward ops for all CPU dtypes; the engines share
// them. Threads take blocks of queries, in the gradient whole heads: the same result for any thread
// count. The matrix of scores is never in memory, and tiles that the mask hides are left out. As in
// PyTorch a NaN spoils what it takes part in; one of a hidden key may reach queries of its tile
// too.

#include <array>
#include <cstdint>

#include "siliconprof/kernels/cpu/attention_halves.h"
#include "siliconprof/kernels/cpu/attention_kernels.h"
#include "siliconprof/kernels/cpu/engine.h"

namespace siliconprof::cpu {

/// Of one thread, between two polls: a tenth of a second for a slow core.
inline constexpr double kAttentionFlopsBetweenPolls = 2e9;

/// Products of halves and the loops between them.
struct AttentionHalves {
  const AttentionHalfLoops& loops;
  HalfMachine machine;
};

/// With given loops, bfloat16 by halves where there are any, and as long as given between polls,
/// which doesn't show in the result.
struct AttentionRun {
  const AttentionKernelTable& table;
  double flops_between_polls = kAttentionFlopsBetweenPolls;
  const AttentionHalves* halves = nullptr;
};
void run_attention(const KernelCall& call, const AttentionRun& run);
void run_attention_backward(const KernelCall& call, const AttentionRun& run);
void run_attention_qkv(const KernelCall& call, const AttentionRun& run);
void run_attention_qkv_backward(const KernelCall& call, const AttentionRun& run);

/// With the best loops that this CPU can run.
void run_attention(const KernelCall& call);
void run_attention_backward(const KernelCall& call);
void run_attention_qkv(const KernelCall& call);
void run_attention_qkv_backward(const KernelCall& call);

/// Bytes that any of them keeps for its loops on all threads, and what it takes of kernel_scratch()
/// for the sums of a gradient.
std::int64_t attention_loops_bytes(const OpCall& call, int threads);
std::int64_t attention_sums_bytes(const OpCall& call, int threads);

inline constexpr std::array<Kernel, 4> kAttentionOpKernels{
    {{"attention", run_attention},
     {"attention_backward", run_attention_backward},
     {"attention_qkv", run_attention_qkv},
     {"attention_qkv_backward", run_attention_qkv_backward}}};

}  // namespace siliconprof::cpu
