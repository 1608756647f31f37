#pragma once

// log_mel and its gradients by their definition (ops/log_mel.h): a plain discrete Fourier
// transform, in which samples that lie alike around a frame's middle share their cosine, and all
// but the sign of their sine. Acc and step as in matmul.h.

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

/// Real and imaginary part of each bin, 0 for the first and last one's imaginary part.
template <class Acc>
struct Spectrum {
  std::vector<Acc> real;
  std::vector<Acc> imaginary;

  std::vector<Acc> power() const {
    std::vector<Acc> power;
    for (std::size_t f = 0; f < real.size(); ++f) {
      power.push_back(real[f] * real[f]);
      if (f == 0 || f + 1 == real.size()) continue;
      power.back() = power.back() + imaginary[f] * imaginary[f];
    }
    return power;
  }
};

/// Of the frame that begins at `frame`. The window is 0 at its first sample.
template <class Acc>
Spectrum<Acc> spectrum_of(const LogMelSizes& s, const CircleTable& circle, const Acc* frame) {
  const std::int64_t half = s.fft / 2;
  std::vector<Acc> even(std::size_t(half + 1), Acc(0));
  std::vector<Acc> odd(even);
  for (std::int64_t n = 1; n < half; ++n) {
    const Acc weight(0.5 - 0.5 * circle.cosine[std::size_t(n)]);
    even[std::size_t(n)] = (frame[n] + frame[s.fft - n]) * weight;
    odd[std::size_t(n)] = (frame[n] - frame[s.fft - n]) * weight;
  }
  even[std::size_t(half)] = frame[half] * Acc(1);
  Spectrum<Acc> found;
  for (std::int64_t f = 0; f < s.bins(); ++f) {
    Acc real(0);
    for (std::int64_t n = 1; n <= half; ++n) {
      real = real + even[std::size_t(n)] * Acc(circle.cosine[std::size_t(n * f % s.fft)]);
    }
    found.real.push_back(real);
    Acc imaginary(0);
    for (std::int64_t n = 1; n < half && f != 0 && f != half; ++n) {
      imaginary = imaginary + odd[std::size_t(n)] * Acc(circle.sine[std::size_t(n * f % s.fft)]);
    }
    found.imaginary.push_back(imaginary);
  }
  return found;
}

/// What a spectrum's gradient, whose imaginary parts have the spectrum's sign, adds to its frame.
template <class Acc>
std::vector<Acc> samples_of(const LogMelSizes& s, const CircleTable& circle,
                            const Spectrum<Acc>& gradient) {
  const std::int64_t half = s.fft / 2;
  std::vector<Acc> frame(std::size_t(s.fft), Acc(0));
  for (std::int64_t n = 1; n <= half; ++n) {
    Acc even(0);
    for (std::int64_t f = 0; f < s.bins(); ++f) {
      even = even + gradient.real[std::size_t(f)] * Acc(circle.cosine[std::size_t(n * f % s.fft)]);
    }
    frame[std::size_t(n)] = even;
    if (n == half) break;
    Acc odd(0);
    for (std::int64_t f = 1; f < half; ++f) {
      odd = odd + gradient.imaginary[std::size_t(f)] * Acc(circle.sine[std::size_t(n * f % s.fft)]);
    }
    const Acc weight(0.5 - 0.5 * circle.cosine[std::size_t(n)]);
    frame[std::size_t(n)] = (even + odd) * weight;
    frame[std::size_t(s.fft - n)] = (even - odd) * weight;
  }
  return frame;
}

/// An item's samples, continued on both sides.
template <class Acc, class Audio>
std::vector<Acc> continued_audio(const LogMelSizes& s, Audio&& audio, std::int64_t item) {
  std::vector<Acc> continued;
  continued.reserve(std::size_t(s.samples + s.fft));
  for (std::int64_t i = 0; i < s.samples + s.fft; ++i) {
    continued.push_back(static_cast<Acc>(audio[item * s.samples + s.reflected(i - s.fft / 2)]));
  }
  return continued;
}

/// Σ filters[m, f]·power[f].
template <class Acc, class Filters>
Acc filtered(const LogMelSizes& s, Filters&& filters, std::int64_t m,
             const std::vector<Acc>& power) {
  Acc sum(0);
  for (std::int64_t f = 0; f < s.bins(); ++f) {
    sum = sum + static_cast<Acc>(filters[m * s.bins() + f]) * power[std::size_t(f)];
  }
  return sum;
}

template <class Acc, class Audio, class Filters, class Y, class Step>
void log_mel(const OpCall& call, Audio&& audio, Filters&& filters, Y&& y, const Step& step) {
  using std::log;
  using std::max;
  const LogMelSizes s = log_mel_sizes(call);
  if (s.results() == 0) return;
  const CircleTable circle(s.fft);
  for (std::int64_t b = 0; b < s.batch; ++b) {
    const std::vector<Acc> continued = continued_audio<Acc>(s, audio, b);
    std::vector<Acc> logs(std::size_t(s.mels * s.frames()), Acc(0));
    for (std::int64_t t = 0; t < s.frames(); ++t) {
      const std::vector<Acc> power = spectrum_of(s, circle, continued.data() + t * s.hop).power();
      for (std::int64_t m = 0; m < s.mels; ++m) {
        logs[std::size_t(m * s.frames() + t)] =
            log(max(filtered(s, filters, m, power), Acc(1e-10))) * Acc(1.0 / std::numbers::ln10);
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

/// 0, which counts where x would.
template <class Acc>
Acc nothing_of(const Acc& x) {
  if constexpr (std::is_floating_point_v<Acc>) {
    return Acc(0);
  } else {
    return x.zero();
  }
}

/// Gradients of an item's logarithms, times 4: what was raised passes dy on to the largest.
template <class Acc, class Y, class Dy>
std::vector<Acc> log_gradients(const OpCall& call, Y&& y, Dy&& dy, std::int64_t item) {
  const LogMelSizes s = log_mel_sizes(call);
  const std::int64_t first = item * s.mels * s.frames();
  const std::int64_t end = first + s.mels * s.frames();
  Acc largest = static_cast<Acc>(y[first]);
  Acc least = largest;
  for (std::int64_t i = first + 1; i < end; ++i) {
    const Acc value = static_cast<Acc>(y[i]);
    if (value > largest) largest = value;
    if (value <= least) least = value;
  }
  const LogMelFloor floor = log_mel_floor(call.dtype);
  const bool some_raised = least <= largest * Acc(floor.scale) + Acc(floor.shift);
  std::vector<Acc> gradients;
  std::vector<bool> is_largest;
  Acc raised(0);
  for (std::int64_t i = first; i < end; ++i) {
    const Acc value = static_cast<Acc>(y[i]);
    const Acc gradient = static_cast<Acc>(dy[i]);
    const bool passed_on = value <= least && some_raised;
    gradients.push_back(passed_on ? nothing_of(gradient) : gradient);
    raised = raised + (passed_on ? gradient : nothing_of(gradient));
    is_largest.push_back(!(largest > value));  // or neither is a number
  }
  const auto sharers = double(std::count(is_largest.begin(), is_largest.end(), true));
  const Acc share = raised / Acc(sharers) + largest * Acc(0);  // NaN where y is no number
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    gradients[i] = gradients[i] + (is_largest[i] ? share : nothing_of(share));
  }
  return gradients;
}

/// Calls body(b, t, spectrum, power, gradients of the frame's filtered sums, times `scale`) for
/// each frame.
template <class Acc, class Audio, class Filters, class Y, class Dy, class Body>
void for_each_sum_gradient(const OpCall& call, double scale, Audio&& audio, Filters&& filters,
                           Y&& y, Dy&& dy, const Body& body) {
  const LogMelSizes s = log_mel_sizes(call);
  const CircleTable circle(s.fft);
  for (std::int64_t b = 0; b < s.batch; ++b) {
    const std::vector<Acc> continued = continued_audio<Acc>(s, audio, b);
    const std::vector<Acc> logs = log_gradients<Acc>(call, y, dy, b);
    for (std::int64_t t = 0; t < s.frames(); ++t) {
      const Spectrum<Acc> spectrum = spectrum_of(s, circle, continued.data() + t * s.hop);
      const std::vector<Acc> power = spectrum.power();
      std::vector<Acc> sums;
      for (std::int64_t m = 0; m < s.mels; ++m) {
        const Acc sum = filtered(s, filters, m, power);
        const Acc gradient =
            logs[std::size_t(m * s.frames() + t)] * Acc(scale / (4 * std::numbers::ln10)) / sum;
        sums.push_back(Acc(1e-10) <= sum ? gradient : nothing_of(gradient));
      }
      body(b, t, spectrum, power, sums);
    }
  }
}

template <class Acc, class Audio, class Filters, class Y, class Dy, class Daudio, class Step>
void log_mel_backward(const OpCall& call, Audio&& audio, Filters&& filters, Y&& y, Dy&& dy,
                      Daudio&& daudio, const Step& step) {
  const LogMelSizes s = log_mel_sizes(call);
  const CircleTable circle(s.fft);
  std::vector<Acc> gradients(std::size_t(s.batch * s.samples), Acc(0));
  if (s.results() > 0) {
    for_each_sum_gradient<Acc>(
        call, 2.0, audio, filters, y, dy,
        [&](std::int64_t b, std::int64_t t, Spectrum<Acc> parts, const std::vector<Acc>&,
            const std::vector<Acc>& sums) {
          for (std::int64_t f = 0; f < s.bins(); ++f) {
            Acc power(0);
            for (std::int64_t m = 0; m < s.mels; ++m) {
              power = power + static_cast<Acc>(filters[m * s.bins() + f]) * sums[std::size_t(m)];
            }
            parts.real[std::size_t(f)] = parts.real[std::size_t(f)] * power;
            if (f == 0 || f == s.fft / 2) continue;
            parts.imaginary[std::size_t(f)] = parts.imaginary[std::size_t(f)] * power;
          }
          const std::vector<Acc> frame = samples_of(s, circle, parts);
          for (std::int64_t n = 1; n < s.fft; ++n) {
            Acc& sample =
                gradients[std::size_t(b * s.samples + s.reflected(t * s.hop + n - s.fft / 2))];
            sample = sample + frame[std::size_t(n)];
          }
          step((2 * s.fft + 2 * s.mels) * s.bins());
        });
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) store(daudio, std::int64_t(i), gradients[i]);
}

template <class Acc, class Audio, class Filters, class Y, class Dy, class Dfilters, class Step>
void log_mel_filters_backward(const OpCall& call, Audio&& audio, Filters&& filters, Y&& y, Dy&& dy,
                              Dfilters&& dfilters, const Step& step) {
  const LogMelSizes s = log_mel_sizes(call);
  std::vector<Acc> gradients(std::size_t(s.mels * s.bins()), Acc(0));
  if (s.results() > 0) {
    for_each_sum_gradient<Acc>(call, 1.0, audio, filters, y, dy,
                               [&](std::int64_t, std::int64_t, const Spectrum<Acc>&,
                                   const std::vector<Acc>& power, const std::vector<Acc>& sums) {
                                 for (std::int64_t m = 0; m < s.mels; ++m) {
                                   for (std::int64_t f = 0; f < s.bins(); ++f) {
                                     Acc& filter = gradients[std::size_t(m * s.bins() + f)];
                                     filter = filter + sums[std::size_t(m)] * power[std::size_t(f)];
                                   }
                                 }
                                 step((s.fft + 2 * s.mels) * s.bins());
                               });
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) store(dfilters, std::int64_t(i), gradients[i]);
}

template <class O>
inline constexpr std::array<Definition<O>, 3> kLogMelDefinitions{{
    {"log_mel", [](const OpCall& c,
                   O& o) { log_mel<typename O::Acc>(c, o.in(0), o.in(1), o.out(0), o.step); }},
    {"log_mel_backward",
     [](const OpCall& c, O& o) {
       log_mel_backward<typename O::Acc>(c, o.in(0), o.in(1), o.in(2), o.in(3), o.out(0), o.step);
     }},
    {"log_mel_filters_backward",
     [](const OpCall& c, O& o) {
       log_mel_filters_backward<typename O::Acc>(c, o.in(0), o.in(1), o.in(2), o.in(3), o.out(0),
                                                 o.step);
     }},
}};

}  // namespace siliconprof::reference
