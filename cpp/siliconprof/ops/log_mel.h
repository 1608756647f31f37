#pragma once

// Whisper's front end: the logarithm of audio's power in bands of frequency, for each frame of
// `fft` samples, a frame every `hop` of them.
//   log_mel  audio (batch, samples), filters (mels, fft/2 + 1) → y (batch, mels, samples/hop)
// The audio is continued by reflection at its first and last sample, fft/2 samples to each side (as
// often as it takes, where it is shorter). Frame t, which begins there at t·hop, is weighted by
// Hann's window w[n] = sin²(πn/fft) and transformed: X[f], f to fft/2. Then
// m = log10(max(Σ filters[m, f]·|X[f]|², 1e-10)) is raised to the batch item's largest less 8, and
// y = (m + 4)/4. The frame centred on samples/hop·hop, or past it, is dropped. A NaN spoils its
// item.
// Gradients are PyTorch's: none where the sum is below 1e-10; that of results that were raised goes
// to the item's largest ones, in equal shares. y tells which those are: where its least is 2 below
// its largest, but for rounding (LogMelFloor), results that are the least were raised. Where they
// are NaN or infinite y tells nothing: all of the item's gradients are NaN.
// Errors: what any op refuses (op.h), an fft that is odd or below 2, a hop below 1 (ArgumentError).
// Source: [radford2022], and the code of Whisper's log_mel_spectrogram.

#include "siliconprof/ops/op.h"

namespace siliconprof {

/// fft is even and at least 2, hop at least 1.
extern const Op kLogMel;
/// audio, filters, y, dy → daudio (batch, samples).
extern const Op kLogMelBackward;
/// audio, filters, y, dy → dfilters (mels, fft/2 + 1).
extern const Op kLogMelFiltersBackward;

struct LogMelSizes {
  std::int64_t batch;
  std::int64_t samples;
  std::int64_t mels;
  std::int64_t fft;
  std::int64_t hop;

  std::int64_t frames() const { return samples / hop; }
  std::int64_t bins() const { return fft / 2 + 1; }
  /// Elements of y.
  std::int64_t results() const { return batch * mels * frames(); }
  /// The sample that stands `past` places after the first one, which is mirrored at both ends.
  std::int64_t reflected(std::int64_t past) const {
    if (samples == 1) return 0;
    const std::int64_t period = 2 * (samples - 1);
    const std::int64_t at = (past % period + period) % period;
    return at < samples ? at : period - at;
  }
};

LogMelSizes log_mel_sizes(const OpCall& call);

/// The least y that a largest one of `largest` leaves unraised is scale·largest + shift, with what
/// two roundings of a y of that dtype may add.
struct LogMelFloor {
  double scale;
  double shift;
};
LogMelFloor log_mel_floor(Dtype dtype);

}  // namespace siliconprof
