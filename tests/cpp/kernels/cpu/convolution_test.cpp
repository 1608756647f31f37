#include "siliconprof/kernels/cpu/convolution.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {
namespace {

using Dims = std::vector<std::int64_t>;

/// Terms of the longest sum of any of the three directions.
double most_terms(const OpCall& call) {
  const Convolution c = convolution_of(call);
  const double taps = double(c.rows.kernel * c.columns.kernel);
  const double windows = double(c.batch * c.rows.windows() * c.columns.windows());
  const std::string op(call.op->name);
  if (op.ends_with("weight_backward")) return windows + 1;
  return taps * double(op.ends_with("data_backward") ? c.outputs : c.channels) + 1;
}

void expect_all_directions(const std::string& op, const Dims& dims, double stride, double padding,
                           Dtype dtype, int threads) {
  for (const char* direction : {"", "_data_backward", "_weight_backward"}) {
    const Example example(op + direction, dims, dtype, {stride, padding}, 7);
    expect_agreement(kEigenEngine, example, threads, most_terms(example.call));
  }
}

TEST(ConvolutionKernels, EveryDirectionAgreesWithTheDefinitionForRandomShapes) {
  std::mt19937_64 random(20250707);
  const auto size = [&random](std::int64_t most) {
    return random() % 4 == 0 ? 1 : std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (int i = 0; i < 60; ++i) {
    for (const Dtype dtype : kCpuDtypes) {
      const std::int64_t kernel = size(4);
      const double padding = double(random() % std::uint64_t(kernel));
      const double stride = double(size(3));
      const int threads = 1 + int(random() % 3);
      const std::int64_t length = kernel + std::int64_t(random() % 40);
      expect_all_directions("conv1d", {size(3), length, size(20), size(40), kernel}, stride,
                            padding, dtype, threads);
      const std::int64_t height = kernel + std::int64_t(random() % 9);
      expect_all_directions("conv2d",
                            {size(20), height, kernel + std::int64_t(random() % 9), size(8),
                             size(20), kernel, kernel},
                            stride, padding, dtype, threads);
    }
  }
}

TEST(ConvolutionKernels, LongLinesManyChannelsAndSmallImagesAgree) {
  const std::vector<std::pair<Dims, double>> shapes{
      {{1, 40, 30, 3, 8, 3, 3}, 1},   {{2, 30, 70, 12, 8, 3, 3}, 1}, {{30, 4, 4, 64, 48, 3, 3}, 1},
      {{3, 8, 8, 33, 70, 3, 3}, 2},   {{2, 16, 16, 3, 64, 3, 3}, 1}, {{9, 6, 6, 128, 20, 1, 1}, 2},
      {{1, 20, 20, 130, 66, 2, 2}, 1}};
  for (const auto& [dims, stride] : shapes) {
    for (const double padding : {0.0, 1.0}) {
      if (dims[5] <= padding) continue;
      expect_all_directions("conv2d", dims, stride, padding, Dtype::Float32, 2);
    }
  }
}

TEST(ConvolutionKernels, NoDataGivesZeros) {
  for (std::size_t empty = 0; empty < 4; ++empty) {
    Dims dims{2, 4, 3, 2, 2};
    dims[empty] = 0;
    for (const Dtype dtype : {Dtype::Float64, Dtype::BFloat16}) {
      expect_all_directions("conv1d", dims, 1, 1, dtype, 2);
    }
  }
}

TEST(ConvolutionKernels, AnyThreadCountGivesTheSameBits) {
  for (const char* op : {"conv2d", "conv2d_data_backward", "conv2d_weight_backward"}) {
    for (const Dims& dims : {Dims{5, 9, 10, 7, 40, 3, 3},
                             {40, 4, 4, 16, 8, 3, 3},
                             {16, 12, 11, 32, 64, 3, 3},
                             {8, 14, 14, 256, 256, 3, 3}}) {  // four chunks of 98 tiles
      const Example example(op, dims, Dtype::Float32, {1, 1}, 3);
      const Tensor one = run(kEigenEngine, example, 1);
      for (const int threads : {2, 3, 5, 9}) {
        const Tensor more = run(kEigenEngine, example, threads);
        EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())),
                  0)
            << to_string(example.call) << " threads " << threads;
      }
    }
  }
}

TEST(ConvolutionKernels, NanAndInfinityReachTheWindowsOverThemAndNoOthers) {
  for (const std::int64_t outputs : {8, 5, 40}) {
    const Example example("conv1d", {1, 30, 3, outputs, 3}, Dtype::Float32, {1, 0}, 5);
    set(example.inputs[0], 10 * 3 + 1, std::numeric_limits<double>::quiet_NaN());
    set(example.inputs[0], 20 * 3, std::numeric_limits<double>::infinity());
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::int64_t i = 0; i < 28; ++i) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        const double value = y[std::size_t(i * outputs + o)];
        EXPECT_EQ(std::isnan(value), i >= 8 && i <= 10) << i;
        EXPECT_EQ(std::isinf(value), i >= 18 && i <= 20) << i;
      }
    }
  }
}

TEST(ConvolutionKernels, ResultsPastTheCacheAreRightToTheLastElement) {
  // One tap of one channel: results are multiples of the data.
  const std::int64_t length = 5'000'017;
  for (const std::int64_t outputs : {8, 16}) {
    const Example example("conv1d", {1, length, 1, outputs, 1}, Dtype::Float32, {1, 0}, 9);
    const Tensor y = run(kEigenEngine, example, 2);
    const auto* x = example.inputs[0].view().as<float>();
    const auto* weight = example.inputs[1].view().as<float>();
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::int64_t o = 0; o < outputs; ++o) {
        ASSERT_EQ(y.view().as<float>()[i * outputs + o], x[i] * weight[o]) << i << " " << o;
      }
    }
  }
}

TEST(ConvolutionKernels, APollThatThrowsStopsALongOne) {
  const Example example("conv2d", {20, 32, 32, 64, 128, 3, 3}, Dtype::Float32, {1, 1}, 5);
  const Poll stop = [] { throw Interrupted(); };
  EXPECT_THROW(run(kEigenEngine, example, 1, stop), Interrupted);
}

}  // namespace
}  // namespace siliconprof::cpu
