#include "siliconprof/kernels/cpu/log_mel_shared.h"

#include <cmath>
#include <numbers>

namespace siliconprof::cpu {
namespace {

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

/// Of each row of a matrix whose elements lie `step` apart, where it isn't 0.
template <class T>
std::vector<LogMelBand> bands_of(const T* first, std::int64_t rows, std::int64_t row,
                                 std::int64_t columns, std::int64_t step) {
  std::vector<LogMelBand> bands;
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* at = first + r * row;
    LogMelBand band{0, columns};
    while (band.end > 0 && at[(band.end - 1) * step] == 0) --band.end;
    while (band.begin < band.end && at[band.begin * step] == 0) ++band.begin;
    bands.push_back(band);
  }
  return bands;
}

}  // namespace

template <class T>
LogMelShared<T>::LogMelShared(const LogMelSizes& sizes, const T* filters)
    : filters_(filters),
      fft_(sizes.fft),
      bands_(bands_of(filters, sizes.mels, sizes.bins(), sizes.bins(), 1)),
      takers_(bands_of(filters, sizes.bins(), 1, sizes.mels, sizes.bins())) {}

template <class T>
LogMelTables LogMelShared<T>::tables() const {
  const Circle<T>& circle = circle_of<T>(fft_);
  return {circle.window.data(), circle.cosines.data(), circle.sines.data(), filters_,
          bands_.data(),        takers_.data()};
}

template class LogMelShared<float>;
template class LogMelShared<double>;

}  // namespace siliconprof::cpu
