#pragma once

// log_mel and its gradients of a block of frames on one thread, built once per instruction set and
// chosen at run time. Frames lie in lanes: transform and filters are products with what all frames
// share. The 16-bit formats are computed in float32.

#include <cstdint>
#include <span>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/builds.h"
#include "siliconprof/ops/log_mel.h"

namespace siliconprof::cpu {

/// Frames of a block, at most.
inline constexpr std::int64_t kLogMelFrames = 64;
/// Numbers of a vector, at most.
inline constexpr std::int64_t kLogMelLanes = 16;

/// Bins that a filter takes, or filters that take a bin: all outside of [begin, end) are 0.
struct LogMelBand {
  std::int64_t begin;
  std::int64_t end;
};

/// How the transform is halved: bins f and half - f have the same terms, but for the sign of those
/// with an odd n. half = fft/2.
struct LogMelHalves {
  std::int64_t half;

  /// Bins f from 0 on that stand for half - f too; with an imaginary part, from 1 on.
  std::int64_t bins() const { return half / 2 + 1; }
  std::int64_t imaginary_bins() const { return half / 2; }
  /// Terms of the real part, n from 1 to half; of the imaginary part, n to half - 1.
  std::int64_t even_terms() const { return half / 2; }
  std::int64_t odd_terms() const { return (half + 1) / 2; }
  std::int64_t imaginary_even_terms() const { return (half - 1) / 2; }
  std::int64_t imaginary_odd_terms() const { return half / 2; }
};

/// Numbers from row to row of what vectors fill.
constexpr std::int64_t log_mel_row(std::int64_t n) { return rounded_up(n, kLogMelLanes); }

/// What all frames share, in floats, or doubles for float64.
struct LogMelTables {
  const void* window;        // w[n] for n <= half
  const void* cosines;       // (bins, even terms), (bins, odd terms): cos(2πfn/fft), n ascending
  const void* sines;         // alike of imaginary bins and terms: sin(2πfn/fft), n descending
  const void* filters;       // (mels, half + 1)
  const LogMelBand* bands;   // for each filter
  const LogMelBand* takers;  // for each bin
};

/// Floats or doubles (of float64) that a block needs as scratch.
constexpr std::int64_t log_mel_scratch(const LogMelSizes& s) {
  return kLogMelFrames * (2 * s.fft + s.mels + 2);
}

/// The same for a gradient: a frame's samples lie side by side, up to a whole vector, and so do its
/// powers.
constexpr std::int64_t log_mel_gradient_scratch(const LogMelSizes& s) {
  return kLogMelFrames * (2 * s.fft + s.mels + 2 + kLogMelLanes);
}

/// What the gradients of an item's results are made of: y and dy (mels, frames), as the call has
/// them, and what dy is passed on as.
struct LogMelResults {
  const void* y;
  const void* dy;
  double raised;   // results up to this were raised, and pass nothing on
  double largest;  // results from this on are the item's largest,
  double share;    // and get this of what was raised
};

/// Of one dtype.
struct LogMelKernels {
  /// Logarithms of frames [begin, end) of one item: logs[m * frames + t], floats or doubles.
  /// Returns the largest, NaN where any is. Scratch is aligned as vectors are.
  double (*logs)(const LogMelSizes& sizes, const LogMelTables& tables, const void* audio,
                 std::int64_t begin, std::int64_t end, void* logs, void* scratch);
  /// y[i] = (max(logs[i], least) + 4)/4; a NaN stays. The two may be the same memory.
  void (*finish)(const void* logs, double least, void* y, std::int64_t n);
  /// The audio's gradient by frames [begin, end): span[i], floats or doubles, is that of the sample
  /// that lies i places past the first frame's first one; (end - begin - 1)·hop + fft of them.
  void (*audio_gradient)(const LogMelSizes& sizes, const LogMelTables& tables, const void* audio,
                         const LogMelResults& results, std::int64_t begin, std::int64_t end,
                         void* span, void* scratch);
  /// Adds the filters' gradient by frames [begin, end) to sums, floats or doubles: (mels, bins),
  /// rows log_mel_row(bins) apart.
  void (*filters_gradient)(const LogMelSizes& sizes, const LogMelTables& tables, const void* audio,
                           const LogMelResults& results, std::int64_t begin, std::int64_t end,
                           void* sums, void* scratch);
};

using LogMelKernelTable = Build<LogMelKernels>;

namespace generic {
extern const LogMelKernelTable kLogMelKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const LogMelKernelTable kLogMelKernels;
}
namespace avx512 {
extern const LogMelKernelTable kLogMelKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const LogMelKernelTable* const> runnable_log_mel_kernels();

}  // namespace siliconprof::cpu
