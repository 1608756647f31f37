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

/// Calls body(task, thread) for all of [0, tasks), each so many blocks, with polls between.
template <class Body>
void share_log_mel_blocks(const KernelCall& k, std::int64_t tasks, std::int64_t blocks_each,
                          const Body& body) {
  const LogMelSizes s = log_mel_sizes(k.call);
  // Of one thread, between two polls: a tenth of a second for a slow core. A frame is folded into
  // its even and its odd part first.
  constexpr double kFlopsBetweenPolls = 2e9;
  const std::int64_t terms = s.fft / 2 + s.mels;
  const double flops = 2.0 * double(kLogMelFrames * blocks_each) * double(s.bins()) * double(terms);
  const std::int64_t piece = (std::int64_t(kFlopsBetweenPolls / flops) + 1) * k.threads;
  for (std::int64_t start = 0; start < tasks; start += piece) {
    if (start > 0 && k.poll) k.poll();
    const std::int64_t count = std::min(piece, tasks - start);
    parallel_shares(k.threads, count, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
      for (std::int64_t task = start + begin; task < start + end; ++task) body(task, thread);
    });
  }
}

}  // namespace siliconprof::cpu
