#pragma once

// What the kernels of log_mel and its gradients share: tables that are made once a call, and how
// blocks of frames are given to threads.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/log_mel_kernels.h"
#include "siliconprof/kernels/cpu/parallel.h"

namespace siliconprof::cpu {

/// T is what the loops compute in, float or double. `filters` is (mels, fft/2 + 1), and stays.
template <class T>
class LogMelShared {
 public:
  LogMelShared(const LogMelSizes& sizes, const T* filters);

  /// Valid as long as this, and on the calling thread until another length is asked for.
  LogMelTables tables() const;

 private:
  const T* filters_;
  std::int64_t fft_;
  std::vector<LogMelBand> bands_;
  std::vector<LogMelBand> takers_;
};

extern template class LogMelShared<float>;
extern template class LogMelShared<double>;

/// Frames [begin, end) of an item. Blocks are numbered item by item.
struct LogMelBlockFrames {
  std::int64_t item;
  std::int64_t begin;
  std::int64_t end;
};
inline std::int64_t log_mel_blocks_of_item(const LogMelSizes& s) {
  return divided_up(s.frames(), kLogMelFrames);
}
inline LogMelBlockFrames log_mel_block(const LogMelSizes& s, std::int64_t block) {
  const std::int64_t begin = block % log_mel_blocks_of_item(s) * kLogMelFrames;
  return {block / log_mel_blocks_of_item(s), begin, std::min(begin + kLogMelFrames, s.frames())};
}

// Of one thread: a tenth of a second for a slow core.
inline constexpr double kLogMelFlopsBetweenPolls = 2e9;

/// Of a block's forward pass: each frame is folded into its even and its odd part first.
inline double log_mel_block_flops(const LogMelSizes& s) {
  const std::int64_t terms = s.fft / 2 + s.mels;
  return 2.0 * double(kLogMelFrames) * double(s.bins()) * double(terms);
}

/// Calls body(task, thread) for all of [0, tasks), each so many forward passes of a block, with
/// polls between.
template <class Body>
void share_log_mel_blocks(const KernelCall& k, std::int64_t tasks, std::int64_t passes_each,
                          const Body& body) {
  const double flops = double(passes_each) * log_mel_block_flops(log_mel_sizes(k.call));
  const std::int64_t piece = (std::int64_t(kLogMelFlopsBetweenPolls / flops) + 1) * k.threads;
  for (std::int64_t start = 0; start < tasks; start += piece) {
    if (start > 0 && k.poll) k.poll();
    const std::int64_t count = std::min(piece, tasks - start);
    parallel_shares(k.threads, count, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
      for (std::int64_t task = start + begin; task < start + end; ++task) body(task, thread);
    });
  }
}

}  // namespace siliconprof::cpu
