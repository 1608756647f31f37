#pragma once

// Attention of one head on one thread, a block of queries at a time, built once per instruction set
// and chosen at run time. A block meets tiles of keys; scores and probabilities of a tile lie in
// scratch and stay in a core's own caches. The 16-bit formats are computed in float32; bfloat16
// also by products of halves, whose loops attention_halves.h has.

#include <cstdint>
#include <span>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/builds.h"

namespace siliconprof::cpu {

/// Queries of a block, and keys of a tile, at most.
inline constexpr std::int64_t kAttentionQueries = 64;
inline constexpr std::int64_t kAttentionKeys = 128;

struct HalfMachine;

/// One head's part of the operands. Of a tensor that a kernel doesn't take the pointer is null.
struct AttentionHeadArrays {
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t head_dim;
  bool causal;
  std::int64_t row;    // elements between tokens in q, k, v and their gradients
  std::int64_t y_row;  // and in y and dy
  const void* q;
  const void* k;
  const void* v;
  void* y;
  void* lse;
  const void* dy;
  void* dq;
  void* dk;
  void* dv;
  const HalfMachine* halves = nullptr;  // what multiplies in attention_halves.h
};

/// Floats or doubles (of float64) that kernels need as scratch.
constexpr std::int64_t attention_scratch(std::int64_t head_dim) {
  const std::int64_t padded = rounded_up(head_dim, 16);
  return 5 * kAttentionQueries * padded + 2 * kAttentionKeys * (kAttentionQueries + padded) +
         4 * kAttentionQueries;
}
/// And for the sums of dk and dv of one head.
constexpr std::int64_t attention_sums(std::int64_t keys, std::int64_t head_dim) {
  return 2 * keys * (rounded_up(head_dim, 16));
}

/// Of one dtype. Queries from `begin` to `end` make a block, and each sees at least one key.
/// Scratch and sums are aligned as vectors are.
struct AttentionKernels {
  /// Puts into scratch what all blocks of a head share; null where that is nothing.
  void (*prepare)(const AttentionHeadArrays&, bool gradient, void* scratch);
  /// y and lse of a block.
  void (*forward)(const AttentionHeadArrays&, std::int64_t begin, std::int64_t end, void* scratch);
  /// dq of a block; what it gives to dk and dv is added to `sums`, which begin as zeros.
  void (*backward)(const AttentionHeadArrays&, std::int64_t begin, std::int64_t end, void* scratch,
                   void* sums);
  /// dk and dv from the sums of all blocks, which are left in any state.
  void (*write_sums)(const AttentionHeadArrays&, void* sums);
};

using AttentionKernelTable = Build<AttentionKernels>;

namespace generic {
extern const AttentionKernelTable kAttentionKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const AttentionKernelTable kAttentionKernels;
}
namespace avx512 {
extern const AttentionKernelTable kAttentionKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const AttentionKernelTable* const> runnable_attention_kernels();

}  // namespace siliconprof::cpu
