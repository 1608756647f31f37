#include "siliconprof/kernels/cpu/log_mel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

// Of one thread, between two polls: a tenth of a second for a slow core.
constexpr double kFlopsBetweenPolls = 2e9;

/// Window, cosines and sines of one length, kept from call to call.
template <class T>
struct Circle {
  std::int64_t fft = 0;
  std::vector<T> window;
  std::vector<T> cosines;
  std::vector<T> sines;

  void set(std::int64_t length) {
    if (fft == length) return;
    fft = 0;
    const std::int64_t half = length / 2;
    std::vector<double> cosine;
    std::vector<double> sine;
    for (std::int64_t i = 0; i < length; ++i) {
      const double angle = 2.0 * std::numbers::pi * double(i) / double(length);
      cosine.push_back(std::cos(angle));
      sine.push_back(std::sin(angle));
    }
    window.clear();
    cosines.clear();
    sines.clear();
    for (std::int64_t n = 0; n <= half; ++n) {
      window.push_back(static_cast<T>(0.5 - 0.5 * cosine[std::size_t(n)]));
    }
    const LogMelHalves halves{half};
    for (const std::int64_t first : {2, 1}) {  // even terms, odd terms
      const std::int64_t terms =
          first == 2 ? halves.imaginary_even_terms() : halves.imaginary_odd_terms();
      for (std::int64_t f = 0; f < halves.bins(); ++f) {
        for (std::int64_t n = first; n <= half; n += 2) {
          cosines.push_back(static_cast<T>(cosine[std::size_t(f * n % length)]));
        }
      }
      for (std::int64_t f = 1; f <= halves.imaginary_bins(); ++f) {
        for (std::int64_t n = first + 2 * (terms - 1); n >= first; n -= 2) {
          sines.push_back(static_cast<T>(sine[std::size_t(f * n % length)]));
        }
      }
    }
    fft = length;
  }
};

template <class T>
const Circle<T>& circle_of(std::int64_t fft) {
  static thread_local Circle<T> circle;
  circle.set(fft);
  return circle;
}

template <class T>
std::vector<LogMelBand> bands_of(const T* filters, std::int64_t mels, std::int64_t bins) {
  std::vector<LogMelBand> bands;
  for (std::int64_t m = 0; m < mels; ++m) {
    const T* row = filters + m * bins;
    LogMelBand band{0, bins};
    while (band.end > 0 && row[band.end - 1] == 0) --band.end;
    while (band.begin < band.end && row[band.begin] == 0) ++band.begin;
    bands.push_back(band);
  }
  return bands;
}

double largest_or_nan(const double* begin, const double* end) {
  double largest = *begin;
  for (const double* at = begin; at != end; ++at) {
    if (std::isnan(*at)) return *at;
    largest = std::max(largest, *at);
  }
  return largest;
}

/// T is what the loops compute in; `logs` holds all results, and may be y itself.
template <class T>
void run(const KernelCall& k, const LogMelKernels& kernels, const T* filters, T* logs) {
  static thread_local Scratch memory;
  const LogMelSizes s = log_mel_sizes(k.call);
  const Circle<T>& circle = circle_of<T>(s.fft);
  const std::vector<LogMelBand> bands = bands_of(filters, s.mels, s.bins());
  const LogMelTables tables{circle.window.data(), circle.cosines.data(), circle.sines.data(),
                            filters, bands.data()};
  const std::int64_t element = size_bytes(k.call.dtype);
  const std::int64_t blocks = divided_up(s.frames(), kLogMelFrames);
  const std::int64_t tasks = s.batch * blocks;
  const std::int64_t room = rounded_up(log_mel_scratch(s), 16) * std::int64_t(sizeof(T) / 4);
  float* rooms = memory.floats(k.threads * room);
  std::vector<double> largest(std::size_t(tasks), 0.0);

  // Each frame is folded into its even and its odd part first.
  const std::int64_t half = s.fft / 2;
  const double flops = 2.0 * kLogMelFrames * double(s.bins()) * double(half + s.mels);
  const std::int64_t piece = (std::int64_t(kFlopsBetweenPolls / flops) + 1) * k.threads;
  for (std::int64_t start = 0; start < tasks; start += piece) {
    if (start > 0 && k.poll) k.poll();
    const std::int64_t count = std::min(piece, tasks - start);
    parallel_shares(k.threads, count, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
      for (std::int64_t task = start + begin; task < start + end; ++task) {
        const std::int64_t b = task / blocks;
        const std::int64_t t = task % blocks * kLogMelFrames;
        largest[std::size_t(task)] =
            kernels.logs(s, tables, k.inputs[0].as<const char>() + b * s.samples * element, t,
                         std::min(t + kLogMelFrames, s.frames()), logs + b * s.mels * s.frames(),
                         rooms + thread * room);
      }
    });
  }
  for (std::int64_t b = 0; b < s.batch; ++b) {
    const double most =
        largest_or_nan(largest.data() + b * blocks, largest.data() + (b + 1) * blocks);
    const std::int64_t first = b * s.mels * s.frames();
    run_in_pieces(k, s.mels * s.frames(), element, [&](std::int64_t begin, std::int64_t end) {
      // A NaN spoils its item.
      if (std::isnan(most))
        std::fill(logs + first + begin, logs + first + end, static_cast<T>(most));
      kernels.finish(logs + first + begin, most - 8,
                     k.outputs[0].as<char>() + (first + begin) * element, end - begin);
    });
  }
}

void run_halves(const KernelCall& k, const LogMelKernels& kernels) {
  static thread_local Scratch wide_filters;
  static thread_local Scratch logs;
  const TensorView& filters = k.inputs[1];
  float* wide = wide_filters.floats(filters.elements());
  widen(k.call.dtype, filters.data, wide, filters.elements(), k.threads);
  run<float>(k, kernels, wide, logs.floats(k.outputs[0].elements()));
  logs.trim();
}

}  // namespace

void run_log_mel(const KernelCall& k, const LogMelKernelTable& table) {
  if (k.outputs[0].elements() == 0) return;
  const LogMelKernels& kernels = table.of(k.call.dtype);
  if (k.call.dtype == Dtype::Float64) {
    run(k, kernels, k.inputs[1].as<const double>(), k.outputs[0].as<double>());
  } else if (k.call.dtype == Dtype::Float32) {
    run(k, kernels, k.inputs[1].as<const float>(), k.outputs[0].as<float>());
  } else {
    run_halves(k, kernels);
  }
}

void run_log_mel(const KernelCall& call) { run_log_mel(call, *runnable_log_mel_kernels().front()); }

}  // namespace siliconprof::cpu
