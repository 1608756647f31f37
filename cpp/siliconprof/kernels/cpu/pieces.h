#pragma once

// How kernels that stream memory share their work: among threads, and between polls.

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/turns.h"

namespace siliconprof::cpu {

// One thread alone below this; starting a team costs as much as copying it.
inline constexpr std::int64_t kGrainBytes = std::int64_t{64} << 10;
// The same where bytes are only moved, from cache to cache.
inline constexpr std::int64_t kMoveGrainBytes = std::int64_t{128} << 10;
// Long enough for memory to be read ahead, short beside what a thread may be held up. At the start
// of each, every stream is found anew: updates of 124 million parameters take 6 % less by the
// longer ones, where a thread has turns enough of them.
inline constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
inline constexpr std::int64_t kLongestPieceBytes = std::int64_t{8} << 20;
inline constexpr std::int64_t kTurns = 32;
// 50 ms between polls at 1.2 GB/s a thread, the rate of memory touched for the first time.
inline constexpr std::int64_t kBytesBetweenPolls = std::int64_t{64} << 20;

inline std::int64_t operand_bytes(const KernelCall& k) {
  std::int64_t total_bytes = 0;
  for (const TensorView& view : k.inputs) total_bytes += view.bytes();
  for (const TensorView& view : k.outputs) total_bytes += view.bytes();
  return total_bytes;
}

/// True when the operands don't fit in the last-level cache: outputs are best written past it.
inline bool exceeds_cache(const KernelCall& k) {
  return operand_bytes(k) > last_level_cache_bytes();
}

/// The same where each output byte is read from somewhere, and what is not read may be large.
inline bool copy_exceeds_cache(std::int64_t output_bytes) {
  return output_bytes > last_level_cache_bytes() / 2;
}

/// As exceeds_cache for tiles that multiply and then store all at once: past the cache such bursts
/// are waited for, which pays where no part of the operands is left from an earlier call.
inline bool tiles_exceed_cache(const KernelCall& k) {
  return operand_bytes(k) > last_level_cache_bytes() * 3 / 2;
}

/// Whether its threads' own second caches can't hold what they read; true where nothing is known of
/// them.
inline bool exceeds_second_caches(const KernelCall& k) {
  std::int64_t read_bytes = 0;
  for (const TensorView& view : k.inputs) read_bytes += view.bytes();
  return read_bytes > k.threads * second_cache_bytes();
}

/// True when there is nothing to compute with: an operand without elements. The outputs are then
/// zeros, as sums over nothing are. For kernels that would divide by such a size.
inline bool done_with_nothing(const KernelCall& k) {
  const auto empty = [](const TensorView& view) { return view.elements() == 0; };
  if (std::none_of(k.inputs.begin(), k.inputs.end(), empty) &&
      std::none_of(k.outputs.begin(), k.outputs.end(), empty)) {
    return false;
  }
  for (const TensorView& view : k.outputs) {
    if (!empty(view)) std::memset(view.data, 0, std::size_t(view.bytes()));
  }
  return true;
}

/// Calls body(begin, end) on parts of [0, n) that are `bytes_each` an index, with polls between. No
/// thread gets less than `grain_bytes`, but for what is left.
template <class Body>
void run_in_pieces(const KernelCall& k, std::int64_t n, std::int64_t bytes_each, const Body& body,
                   std::int64_t grain_bytes = kGrainBytes) {
  if (n <= 0) return;
  bytes_each = std::max<std::int64_t>(1, bytes_each);  // rows without columns have none
  const std::int64_t grain = std::max<std::int64_t>(1, grain_bytes / bytes_each);
  // What fits in caches is best shared the same way in each call.
  if (n <= last_level_cache_bytes() / bytes_each) {
    const std::int64_t most = std::max(grain, kBytesBetweenPolls / bytes_each / grain * grain);
    return keep_shares(k.threads, k.poll, n, grain, most, body);
  }
  const std::int64_t turn_bytes =
      std::clamp(n * bytes_each / (kTurns * k.threads), kPieceBytes, kLongestPieceBytes);
  const std::int64_t piece = std::max(grain, turn_bytes / bytes_each / grain * grain);
  const std::int64_t between = kBytesBetweenPolls / (piece * bytes_each);
  take_turns(k.threads, k.poll, n, piece, std::max<std::int64_t>(1, between), body);
}

/// What a row costs that lies here or there: lines.
inline std::int64_t far_bytes(std::int64_t row_bytes) {
  return std::max<std::int64_t>(64, row_bytes);
}

/// run_in_pieces() of rows that cost more than the bytes that they are: threads are as many as for
/// rows one after the other.
template <class Body>
void run_over_rows(const KernelCall& k, std::int64_t rows, std::int64_t row_bytes,
                   std::int64_t cost_bytes, const Body& body,
                   std::int64_t grain_bytes = kGrainBytes) {
  const std::int64_t grain = std::max<std::int64_t>(1, grain_bytes / row_bytes);
  run_in_pieces(k, rows, cost_bytes, body, grain * cost_bytes);
}

/// Calls body(begin, end) on parts of [0, n) on this thread, some 10 ms each, with polls after
/// them.
template <class Body>
void in_steps(std::int64_t n, const Poll& poll, const Body& body) {
  constexpr std::int64_t kElementsBetweenPolls = std::int64_t{1} << 21;
  for (std::int64_t begin = 0; begin < n; begin += kElementsBetweenPolls) {
    body(begin, std::min(n, begin + kElementsBetweenPolls));
    if (poll) poll();
  }
}

/// Σ part(begin, end) over blocks of [0, n), added in order: the same sum for any thread count.
template <class Part>
double sum_in_blocks(const KernelCall& k, std::int64_t n, std::int64_t bytes_each,
                     const Part& part) {
  constexpr std::int64_t block = 16384;
  std::vector<double> sums(std::size_t(divided_up(n, block)));
  run_in_pieces(k, std::int64_t(sums.size()), block * bytes_each,
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    sums[std::size_t(i)] = part(i * block, std::min(n, (i + 1) * block));
                  }
                });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace siliconprof::cpu
