#include "siliconprof/kernels/reference/log_mel.h"

#include <array>
#include <complex>

#include "cost_proof.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 3>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const auto kNoStep = [](std::int64_t) {};

std::vector<double> log_mel_of(const std::vector<double>& audio, const std::vector<double>& filters,
                               std::int64_t mels, double fft, double hop) {
  const auto samples = std::int64_t(audio.size());
  const OpCall call =
      make_call(kLogMel, Dims{1, samples, mels}, Dtype::Float64, std::array{fft, hop});
  std::vector<double> y(std::size_t(log_mel_sizes(call).results()));
  log_mel<double>(call, audio.data(), filters.data(), y.data(), kNoStep);
  return y;
}

TEST(ReferenceLogMel, CostIsWhatTheDefinitionTakes) {
  for (const auto& [batch, samples, mels] :
       {Dims{1, 1, 1}, {2, 9, 3}, {1, 30, 2}, {2, 0, 3}, {0, 9, 3}, {1, 9, 0}, {1, 2, 3}}) {
    for (const auto& [fft, hop] : {std::array{2.0, 1.0}, {6.0, 3.0}, {8.0, 11.0}}) {
      prove_op("log_mel", {{"batch", batch}, {"samples", samples}, {"mels", mels}},
               {{"fft", fft}, {"hop", hop}});
    }
  }
}

// As torch.stft and Whisper's log_mel_spectrogram: continued, weighted, transformed, dropped.
TEST(ReferenceLogMel, IsTheLogarithmOfAPlainTransformsPower) {
  constexpr std::int64_t fft = 10;
  constexpr std::int64_t hop = 4;
  constexpr std::int64_t bins = fft / 2 + 1;
  constexpr std::int64_t mels = 2;
  std::vector<double> audio;
  for (std::int64_t i = 0; i < 27; ++i) audio.push_back(std::sin(double(i * i)));
  std::vector<double> filters;
  for (std::int64_t i = 0; i < mels * bins; ++i) filters.push_back(double(1 + i % 4));
  const std::vector<double> y = log_mel_of(audio, filters, mels, fft, hop);
  ASSERT_EQ(y.size(), std::size_t(mels * 6));
  const auto at = [&](std::int64_t i) { return audio[std::size_t(i < 0 ? -i : i)]; };
  for (std::int64_t t = 0; t < 6; ++t) {
    std::array<double, mels> sums{};
    for (std::int64_t f = 0; f < bins; ++f) {
      std::complex<double> x;
      for (std::int64_t n = 0; n < fft; ++n) {
        const std::int64_t place = t * hop + n - fft / 2;
        const double angle = 2 * std::numbers::pi * double(n) / double(fft);
        x += at(place < 27 ? place : 52 - place) * (0.5 - 0.5 * std::cos(angle)) *
             std::polar(1.0, -angle * double(f));
      }
      for (std::int64_t m = 0; m < mels; ++m) {
        sums[std::size_t(m)] += filters[std::size_t(m * bins + f)] * std::norm(x);
      }
    }
    for (std::int64_t m = 0; m < mels; ++m) {
      EXPECT_NEAR(y[std::size_t(m * 6 + t)], (std::log10(sums[std::size_t(m)]) + 4) / 4, 1e-12);
    }
  }
}

TEST(ReferenceLogMel, QuietFramesAreRaisedToEightBelowTheLargest) {
  // Frames of 2 samples have the window (0, 1): power is the middle sample's square in both bins.
  const std::vector<double> y = log_mel_of({100, 0, 1e-3, 1e-6}, {0.5, 0.5}, 1, 2, 1);
  EXPECT_NEAR(y[0], 2, 1e-12);  // log10 of 1e4
  EXPECT_NEAR(y[1], 0, 1e-12);  // 1e-10 at least, 4 - 8 at least
  EXPECT_NEAR(y[2], 0, 1e-12);  // -6 is raised to -4
  EXPECT_NEAR(y[3], 0, 1e-12);
  const std::vector<double> silence = log_mel_of({0, 0, 0}, {1, 1}, 1, 2, 1);
  for (const double value : silence) EXPECT_NEAR(value, -1.5, 1e-12);
}

// Frames of 2 samples again; logarithms 4, -6 and 4. The second was raised to -4, and passes its
// dy on to the others, half and half. d log10(x²)/dx = 2/(x·ln 10); y is a quarter of it.
TEST(ReferenceLogMel, GradientsOfWhatWasRaisedGoToTheLargest) {
  const std::vector<double> audio{100, 1e-3, -100};
  const std::vector<double> filters{0.5, 0.5};
  const std::vector<double> y = log_mel_of(audio, filters, 1, 2, 1);
  const std::vector<double> dy{1, 2, 5};
  const auto call = [](const Op& op) {
    return make_call(op, Dims{1, 3, 1}, Dtype::Float64, std::array{2.0, 1.0});
  };
  const double ln10 = std::numbers::ln10;
  std::vector<double> daudio(3);
  log_mel_backward<double>(call(kLogMelBackward), audio.data(), filters.data(), y.data(), dy.data(),
                           daudio.data(), kNoStep);
  EXPECT_NEAR(daudio[0], (1 + 1) / 4.0 * 2 / (100 * ln10), 1e-15);
  EXPECT_EQ(daudio[1], 0);
  EXPECT_NEAR(daudio[2], (5 + 1) / 4.0 * 2 / (-100 * ln10), 1e-15);
  std::vector<double> dfilters(2);
  log_mel_filters_backward<double>(call(kLogMelFiltersBackward), audio.data(), filters.data(),
                                   y.data(), dy.data(), dfilters.data(), kNoStep);
  for (const double x : dfilters) EXPECT_NEAR(x, (2 + 6) / (4 * ln10), 1e-14);
}

TEST(ReferenceLogMel, ANanSpoilsItsItem) {
  for (const double value : log_mel_of({1, kNan, 2, 3, 4, 5}, {1, 1}, 1, 2, 1)) {
    EXPECT_TRUE(std::isnan(value));
  }
}

}  // namespace
}  // namespace siliconprof::reference
