#include "siliconprof/kernels/cpu/log_mel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>
#include <random>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor run_with(const LogMelKernelTable& table, const Example& example, int threads) {
  const Poll none;
  Tensor y(example.call.dtype, example.call.op->signature(example.call).outputs[0].shape);
  std::memset(y.view().data, 0xff, std::size_t(y.view().bytes()));
  const std::vector<TensorView> outputs{y.view()};
  run_log_mel({example.call, example.views(), outputs, threads, none}, table);
  return y;
}

struct Interval {
  double low;
  double high;
};

/// Sums of filtered powers of one frame, by a transform in float64 of `fft` terms; and the error
/// that fft + 12 roundings of each (tables, window, sum, difference) leave in real and imaginary
/// part, then `bins` more roundings in the filter's sum.
std::vector<Interval> sums_of_frame(const LogMelSizes& s, const double* audio,
                                    const Values& filters, std::int64_t t, double u) {
  std::vector<double> power;
  std::vector<double> error;
  for (std::int64_t f = 0; f < s.bins(); ++f) {
    double real = 0;
    double imaginary = 0;
    double size = 0;
    for (std::int64_t n = 0; n < s.fft; ++n) {
      const double angle = 2 * std::numbers::pi * double(n) / double(s.fft);
      const double x =
          audio[s.reflected(t * s.hop + n - s.fft / 2)] * (0.5 - 0.5 * std::cos(angle));
      real += x * std::cos(angle * double(f));
      imaginary += x * std::sin(angle * double(f));
      size += std::abs(x);
    }
    const double of_part = (double(s.fft) + 12) * u * size;
    power.push_back(real * real + imaginary * imaginary);
    error.push_back(2 * of_part * (std::abs(real) + std::abs(imaginary) + of_part) +
                    3 * u * power.back());
  }
  std::vector<Interval> sums;
  for (std::int64_t m = 0; m < s.mels; ++m) {
    double sum = 0;
    double bound = 0;
    for (std::int64_t f = 0; f < s.bins(); ++f) {
      const double filter = filters[std::size_t(m * s.bins() + f)];
      sum += filter * power[std::size_t(f)];
      bound += std::abs(filter) *
               (error[std::size_t(f)] +
                double(s.bins()) * u * (power[std::size_t(f)] + error[std::size_t(f)]));
    }
    sums.push_back({sum - bound, sum + bound});
  }
  return sums;
}

/// Where a result may lie: each step after the sums is monotonous, and rounds a few times.
void expect_log_mel_agrees(const LogMelKernelTable& table, const Example& example, int threads) {
  const LogMelSizes s = log_mel_sizes(example.call);
  SCOPED_TRACE(std::string(table.instruction_set) + " " + to_string(example.call) + " fft " +
               std::to_string(s.fft) + " hop " + std::to_string(s.hop));
  const Values audio = to_values(example.inputs[0].view());
  const Values filters = to_values(example.inputs[1].view());
  const Values exact = define(example.call, {audio, filters});
  const Values found = to_values(run_with(table, example, threads).view());
  const double u = example.call.dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
  const double u_out = unit_roundoff(example.call.dtype);
  for (std::int64_t b = 0; b < s.batch; ++b) {
    std::vector<Interval> logs(std::size_t(s.mels * s.frames()));
    Interval largest{-100, -100};
    for (std::int64_t t = 0; t < s.frames(); ++t) {
      const auto sums = sums_of_frame(s, audio.data() + b * s.samples, filters, t, u);
      for (std::int64_t m = 0; m < s.mels; ++m) {
        const auto log = [](double x) { return std::log10(std::max(x, 1e-10)); };
        const Interval sum = sums[std::size_t(m)];
        const Interval found_log{log(sum.low), log(sum.high)};
        logs[std::size_t(m * s.frames() + t)] = found_log;
        largest = {std::max(largest.low, found_log.low), std::max(largest.high, found_log.high)};
      }
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double low = (std::max(logs[i].low, largest.low - 8) + 4) / 4;
      const double high = (std::max(logs[i].high, largest.high - 8) + 4) / 4;
      const double rounded = 60 * u + u_out * std::max(std::abs(low), std::abs(high));
      const std::size_t at = std::size_t(b * s.mels * s.frames()) + i;
      ASSERT_GE(found[at], low - rounded) << at;
      ASSERT_LE(found[at], high + rounded) << at;
      ASSERT_GE(exact[at], low - rounded) << at;
      ASSERT_LE(exact[at], high + rounded) << at;
    }
  }
}

/// Bands as mel filters have them: few bins each.
void narrow_filters(const Example& example) {
  const LogMelSizes s = log_mel_sizes(example.call);
  for (std::int64_t m = 0; m < s.mels; ++m) {
    for (std::int64_t f = 0; f < s.bins(); ++f) {
      if (std::abs(double(f) - double(m * s.bins()) / double(s.mels)) > 2) {
        set(example.inputs[1], m * s.bins() + f, 0.0);
      }
    }
  }
}

TEST(LogMel, EveryBuildAgreesWithATransformInDoublePrecision) {
  std::mt19937_64 random(20250712);
  const auto size = [&random](std::int64_t most) {
    return std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (const LogMelKernelTable* table : runnable_log_mel_kernels()) {
    for (int i = 0; i < 12; ++i) {
      for (const Dtype dtype : kCpuDtypes) {
        const Example example("log_mel", {size(3), size(900), size(20)}, dtype,
                              {double(2 * size(30)), double(size(20))}, random());
        if (i % 2 == 0) narrow_filters(example);
        expect_log_mel_agrees(*table, example, 1 + int(random() % 3));
      }
    }
  }
}

TEST(LogMel, AgreesAtWhispersSizes) {
  const Example example("log_mel", {2, 16000, 80}, Dtype::Float32, {}, 4);
  narrow_filters(example);
  expect_log_mel_agrees(*runnable_log_mel_kernels().front(), example, 2);
}

TEST(LogMel, NoFramesAreNoWork) {
  for (const std::vector<std::int64_t>& dims :
       {std::vector<std::int64_t>{0, 500, 3}, {2, 159, 3}, {2, 0, 3}, {2, 500, 0}}) {
    const Example example("log_mel", dims, Dtype::Float32, {}, 4);
    EXPECT_EQ(run(kEigenEngine, example, 2).view().elements(), 0);
  }
}

TEST(LogMel, AnyThreadCountGivesTheSameBits) {
  const Example example("log_mel", {2, 5000, 7}, Dtype::BFloat16, {60, 10}, 4);
  const Tensor one = run(kEigenEngine, example, 1);
  for (const int threads : {2, 3, 5}) {
    const Tensor more = run(kEigenEngine, example, threads);
    EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())), 0);
  }
}

TEST(LogMel, ANanSpoilsItsItemAloneAndSilenceIsMinusOneAndAHalf) {
  for (const double value : {kNan, kInfinity}) {
    const Example example("log_mel", {3, 3000, 5}, Dtype::Float32, {40, 10}, 4);
    set(example.inputs[0], 3000 + 1234, value);
    for (std::int64_t i = 0; i < 3000; ++i) set(example.inputs[0], 6000 + i, 0.0);
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::size_t i = 0; i < 1500; ++i) {
      EXPECT_TRUE(std::isfinite(y[i]));
      EXPECT_TRUE(std::isnan(y[1500 + i]));
      EXPECT_NEAR(y[3000 + i], -1.5, 1e-6);
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
