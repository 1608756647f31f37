#pragma once

// log_mel by its definition (ops/log_mel.h): a plain discrete Fourier transform, in which samples
// that lie alike around a frame's middle share their cosine, and all but the sign of their sine.
// Acc and step as in matmul.h.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <vector>

#include "siliconprof/kernels/reference/definition.h"
#include "siliconprof/kernels/reference/element.h"
#include "siliconprof/ops/log_mel.h"

namespace siliconprof::reference {

/// NaN where either is.
template <class Acc>
Acc larger_or_nan(const Acc& a, const Acc& b) {
  if constexpr (std::is_floating_point_v<Acc>) {
    return a >= b || std::isnan(a) ? a : b;
  } else {
    return max(a, b);
  }
}

/// cos(2πi/n), sin(2πi/n) for i < n.
struct CircleTable {
  std::vector<double> cosine;
  std::vector<double> sine;

  explicit CircleTable(std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double angle = 2.0 * std::numbers::pi * double(i) / double(n);
      cosine.push_back(std::cos(angle));
      sine.push_back(std::sin(angle));
    }
  }
};

/// Power of each bin of the frame that begins at `frame`. The window is 0 at its first sample.
template <class Acc>
std::vector<Acc> frame_power(const LogMelSizes& s, const CircleTable& circle, const Acc* frame) {
  const std::int64_t half = s.fft / 2;
  std::vector<Acc> even(std::size_t(half + 1), Acc(0));
  std::vector<Acc> odd(even);
  for (std::int64_t n = 1; n < half; ++n) {
    const Acc weight(0.5 - 0.5 * circle.cosine[std::size_t(n)]);
    even[std::size_t(n)] = (frame[n] + frame[s.fft - n]) * weight;
    odd[std::size_t(n)] = (frame[n] - frame[s.fft - n]) * weight;
  }
  even[std::size_t(half)] = frame[half] * Acc(1);
  std::vector<Acc> power;
  for (std::int64_t f = 0; f < s.bins(); ++f) {
    Acc real(0);
    for (std::int64_t n = 1; n <= half; ++n) {
      real = real + even[std::size_t(n)] * Acc(circle.cosine[std::size_t(n * f % s.fft)]);
    }
    power.push_back(real * real);
    if (f == 0 || f == half) continue;  // real by nature
    Acc imaginary(0);
    for (std::int64_t n = 1; n < half; ++n) {
      imaginary = imaginary + odd[std::size_t(n)] * Acc(circle.sine[std::size_t(n * f % s.fft)]);
    }
    power.back() = power.back() + imaginary * imaginary;
  }
  return power;
}

template <class Acc, class Audio, class Filters, class Y, class Step>
void log_mel(const OpCall& call, Audio&& audio, Filters&& filters, Y&& y, const Step& step) {
  using std::log;
  using std::max;
  const LogMelSizes s = log_mel_sizes(call);
  if (s.results() == 0) return;
  const CircleTable circle(s.fft);
  for (std::int64_t b = 0; b < s.batch; ++b) {
    std::vector<Acc> continued;
    continued.reserve(std::size_t(s.samples + s.fft));
    for (std::int64_t i = 0; i < s.samples + s.fft; ++i) {
      continued.push_back(static_cast<Acc>(audio[b * s.samples + s.reflected(i - s.fft / 2)]));
    }
    std::vector<Acc> logs(std::size_t(s.mels * s.frames()), Acc(0));
    for (std::int64_t t = 0; t < s.frames(); ++t) {
      const std::vector<Acc> power = frame_power(s, circle, continued.data() + t * s.hop);
      for (std::int64_t m = 0; m < s.mels; ++m) {
        Acc sum(0);
        for (std::int64_t f = 0; f < s.bins(); ++f) {
          sum = sum + static_cast<Acc>(filters[m * s.bins() + f]) * power[std::size_t(f)];
        }
        logs[std::size_t(m * s.frames() + t)] =
            log(max(sum, Acc(1e-10))) * Acc(1.0 / std::numbers::ln10);
      }
      step((s.fft + s.mels) * s.bins());
    }
    Acc largest = logs[0];
    for (std::size_t i = 1; i < logs.size(); ++i) largest = larger_or_nan(largest, logs[i]);
    const Acc least = largest - Acc(8);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      store(y, b * s.mels * s.frames() + std::int64_t(i),
            (larger_or_nan(logs[i], least) + Acc(4)) / Acc(4));
    }
  }
}

template <class O>
inline constexpr std::array<Definition<O>, 1> kLogMelDefinitions{{
    {"log_mel", [](const OpCall& c,
                   O& o) { log_mel<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
}};

}  // namespace siliconprof::reference
