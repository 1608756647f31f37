#include "siliconprof/kernels/cpu/log_mel_gradient.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>

#include "every_op_cases.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {
namespace {

using Run = void (*)(const KernelCall&, const LogMelKernelTable&);

Values run_with(Run kernel, const LogMelKernelTable& table, const Example& example, int threads) {
  const Poll none;
  Tensor out(example.call.dtype, example.call.op->signature(example.call).outputs[0].shape);
  std::memset(out.view().data, 0xff, std::size_t(out.view().bytes()));
  const std::vector<TensorView> outputs{out.view()};
  kernel({example.call, example.views(), outputs, threads, none}, table);
  return to_values(out.view());
}

struct Gradient {
  const char* op;
  Run run;
};
constexpr std::array<Gradient, 2> kGradients{
    {{"log_mel_backward", run_log_mel_backward},
     {"log_mel_filters_backward", run_log_mel_filters_backward}}};

/// As many roundings as terms in a row, several times over (sums, their quotient, the way back), in
/// numbers of the result's size: powers are summed, so that nothing cancels.
void expect_agrees(const Gradient& gradient, const LogMelKernelTable& table, const Example& example,
                   int threads) {
  const LogMelSizes s = log_mel_sizes(example.call);
  SCOPED_TRACE(std::string(table.instruction_set) + " " + to_string(example.call) + " fft " +
               std::to_string(s.fft) + " hop " + std::to_string(s.hop));
  std::vector<Values> in;
  for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
  const Values exact = define(example.call, in);
  const Values found = run_with(gradient.run, table, example, threads);
  const double u = example.call.dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
  double largest = 0;
  for (const double x : exact) largest = std::max(largest, std::abs(x));
  const auto terms = double(s.fft + s.bins() + s.mels + s.frames() + 12);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double bound = 8 * terms * u * largest +
                         unit_roundoff(example.call.dtype) * std::abs(exact[i]) +
                         underflow(example.call.dtype);
    ASSERT_NEAR(found[i], exact[i], bound) << i;
  }
}

TEST(LogMelGradient, EveryBuildAgreesWithTheDefinition) {
  Random random(20261128);
  const auto size = [&random](std::int64_t most) {
    return std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (const LogMelKernelTable* table : runnable_log_mel_kernels()) {
    for (const Gradient& gradient : kGradients) {
      for (int i = 0; i < 8; ++i) {
        for (const Dtype dtype : kCpuDtypes) {
          Example example(gradient.op, {size(3), size(900), size(20)}, dtype,
                          {double(2 * size(30)), double(size(20))}, random());
          fit_log_mel_gradient(example, random);
          if (i % 2 == 0) {  // bands as mel filters have them
            const LogMelSizes s = log_mel_sizes(example.call);
            for (std::int64_t m = 0; m < s.mels; ++m) {
              for (std::int64_t f = 0; f < s.bins(); ++f) {
                const double middle = double(m * s.bins()) / double(s.mels);
                if (std::abs(double(f) - middle) > 2) set(example.inputs[1], m * s.bins() + f, 0.0);
              }
            }
          }
          if (i % 4 > 1) {  // so quiet a half that it is raised to 8 below the largest
            const std::int64_t audio = example.inputs[0].view().elements();
            std::int64_t at = 0;
            change(example, 0, [&](double x) { return ++at > audio / 2 ? 3e-5 * x : x; });
          }
          take_forward(example, 2, "log_mel", 0, 1, 2);
          expect_agrees(gradient, *table, example, 1 + int(random() % 3));
        }
      }
    }
  }
}

/// Frames of 2 samples have the window (0, 1): the power of both bins is the sample's square.
Example by_hand(const char* op, Dtype dtype, const Values& audio, const Values& y) {
  const auto samples = std::int64_t(audio.size());
  Example example(op, {1, samples, 1}, dtype, {2, 1}, 1);
  set(example.inputs[1], 0, 0.5);
  set(example.inputs[1], 1, 0.5);
  for (std::int64_t i = 0; i < samples; ++i) {
    set(example.inputs[0], i, audio[std::size_t(i)]);
    set(example.inputs[2], i, y[std::size_t(i)]);
    set(example.inputs[3], i, double(i + 1));
  }
  return example;
}

TEST(LogMelGradient, WhatWasRaisedPassesItsGradientOnToTheLargest) {
  // Logarithms 4, -6, 2 and 4; the second is raised to -4. dy is 1, 2, 3, 4.
  const Values audio{128, 1.0 / 1024, 8, 128};
  const double most = std::log10(128.0 * 128);
  const Values y{most / 4 + 1, most / 4 - 1, std::log10(64.0) / 4 + 1, most / 4 + 1};
  const double ln10 = std::numbers::ln10;
  for (const Dtype dtype : kCpuDtypes) {
    SCOPED_TRACE(name(dtype));
    const double u = 8 * unit_roundoff(dtype);
    const Values found =
        to_values(run(kEigenEngine, by_hand("log_mel_backward", dtype, audio, y), 2).view());
    const Values wanted{(1 + 1) / 4.0, 0, 3 / 4.0, (4 + 1) / 4.0};
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(found[i], wanted[i] * 2 / (audio[i] * ln10), u) << i;
    }
    const Values filters = to_values(
        run(kEigenEngine, by_hand("log_mel_filters_backward", dtype, audio, y), 2).view());
    for (const double x : filters) EXPECT_NEAR(x, (2 + 3 + 5) / (4 * ln10), 4 * u);
  }
}

TEST(LogMelGradient, NothingIsPassedOnWhereTheLeastIsWithinItsRange) {
  const Values audio{128, 1.0 / 64, 128};  // 1.95 below in y
  const double most = std::log10(128.0 * 128) / 4 + 1;
  const Values y{most, most - 1.95, most};
  const Values found =
      to_values(run(kEigenEngine, by_hand("log_mel_backward", Dtype::Float32, audio, y), 1).view());
  EXPECT_NEAR(found[0], 0.25 * 2 / (128 * std::numbers::ln10), 1e-8);
  EXPECT_NEAR(found[1], 0.50 * 2 * 64 / std::numbers::ln10, 1e-4);
}

TEST(LogMelGradient, SilenceAndNoFramesHaveNone) {
  for (const Gradient& gradient : kGradients) {
    const Example silence = by_hand(gradient.op, Dtype::Float32, {0, 0, 0}, {-1.5, -1.5, -1.5});
    for (const double x : to_values(run(kEigenEngine, silence, 1).view())) EXPECT_EQ(x, 0.0);
    for (const std::vector<std::int64_t>& dims :
         {std::vector<std::int64_t>{0, 500, 3}, {2, 159, 3}, {2, 0, 3}, {2, 500, 0}}) {
      const Example example(gradient.op, dims, Dtype::Float32, {}, 4);
      for (const double x : to_values(run(kEigenEngine, example, 2).view())) EXPECT_EQ(x, 0.0);
    }
  }
}

TEST(LogMelGradient, AnyThreadCountGivesTheSameBits) {
  for (const Gradient& gradient : kGradients) {
    for (const Dtype dtype : kCpuDtypes) {
      Random random(5);
      Example example(gradient.op, {2, 6000, 7}, dtype, {60, 10}, 4);
      fit_log_mel_gradient(example, random);
      const Tensor one = run(kEigenEngine, example, 1);
      const auto bytes = std::size_t(one.view().bytes());
      for (const int threads : {2, 3, 5}) {
        const Tensor more = run(kEigenEngine, example, threads);
        EXPECT_EQ(std::memcmp(one.view().data, more.view().data, bytes), 0);
      }
    }
  }
}

TEST(LogMelGradient, WhereYIsNoNumberNoGradientIs) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double spoilt : {nan, inf}) {
    const Values audio{spoilt == inf ? 1e25 : spoilt, 3, 5};
    for (const Gradient& gradient : kGradients) {
      const Example example = by_hand(gradient.op, Dtype::Float32, audio, {spoilt, spoilt, spoilt});
      std::vector<Values> in;
      for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
      for (const double x : define(example.call, in)) EXPECT_TRUE(std::isnan(x));
      for (const double x : to_values(run(kEigenEngine, example, 1).view())) {
        EXPECT_TRUE(std::isnan(x));
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
