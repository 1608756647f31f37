#include "siliconprof/kernels/cpu/batch_norm.h"

#include <gtest/gtest.h>

#include "norm_agreement.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes{
    {1, 1, 1},    {9, 3, 1},    {1000, 64, 1}, {130, 130, 1}, {70, 600, 1},
    {7, 1030, 1}, {5000, 5, 1}, {4, 6, 50},    {2, 3, 2500},  {65, 16, 1},
    {5, 0, 1},    {5, 0, 7},    {40001, 1, 1}};

NormMap map_of(const std::vector<std::int64_t>& dims) {
  const std::int64_t channels = dims[1];
  const std::int64_t inner = dims[2];
  const auto channel = [channels, inner](std::int64_t i) { return i / inner % channels; };
  return {dims[0] * channels * inner, channels, channels, channel, channel};
}

TEST(BatchNorm, ChannelsWhereverTheyLieAgreeWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      for (const int threads : {1, 3}) {
        const NormMap map = map_of(dims);
        expect_norm_agrees(Example("batch_norm", dims, dtype, {}, 1), map, true, threads);
        expect_norm_gradient_agrees(Example("batch_norm_backward", dims, dtype, {}, 2), map, true,
                                    threads);
      }
    }
  }
}

TEST(BatchNorm, ChannelsFarFrom0AgreeWithTheDefinition) {
  for (const auto& dims : kShapes) expect_far_from_0_agrees("batch_norm", dims, map_of(dims), 2);
}

// However large the numbers are: they have no deviation.
TEST(BatchNorm, AChannelOfEqualNumbersComesOutAtTheBias) {
  for (const std::vector<std::int64_t>& dims :
       std::vector<std::vector<std::int64_t>>{{333, 24, 1}, {70, 600, 1}, {40, 3, 49}}) {
    for (const double value : {10.7, 1000.1, 100000.7}) {
      const Example example("batch_norm", dims, Dtype::Float32, {1e-5}, 4);
      const std::int64_t elements = dims[0] * dims[1] * dims[2];
      for (std::int64_t i = 0; i < elements; ++i) set(example.inputs[0], i, double(float(value)));
      const Values bias = to_values(example.inputs[2].view());
      const std::vector<Tensor> found = run_all(kEigenEngine, example, 2);
      const Values y = to_values(found[0].view());
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(y[i], bias[i / std::size_t(dims[2]) % bias.size()]) << value;
      }
      EXPECT_EQ(found[2].view().as<float>()[0], float(1 / std::sqrt(1e-5)));
    }
  }
}

TEST(BatchNorm, AnyThreadCountGivesTheSameBits) {
  for (const char* op : {"batch_norm", "batch_norm_backward"}) {
    expect_same_for_any_thread_count(Example(op, {3001, 24, 1}, Dtype::Float32, {}, 5));
    expect_same_for_any_thread_count(Example(op, {21, 24, 301}, Dtype::Float32, {}, 5));
  }
}

TEST(BatchNorm, AMeanThatDriftsLeavesTheDeviationsRight) {
  const Example example("batch_norm", {8192, 2, 1}, Dtype::Float32, {}, 6);
  auto* x = example.inputs[0].view().as<float>();
  // Channel 0 steps from 0 to 4096 with deviations of 1/2 on either side.
  for (std::int64_t i = 0; i < 8192; ++i) {
    x[2 * i] = (i < 4096 ? 0.0F : 4096.0F) + float(i % 2);
    x[2 * i + 1] = 10000.0F + float(i % 2);
  }
  const std::vector<Tensor> found = run_all(kEigenEngine, example, 2);
  EXPECT_EQ(found[1].view().as<float>()[0], 2048.5F);
  EXPECT_EQ(found[1].view().as<float>()[1], 10000.5F);
  EXPECT_NEAR(double(found[2].view().as<float>()[0]) * std::sqrt(2048.0 * 2048.0 + 0.25), 1, 1e-6);
  EXPECT_NEAR(double(found[2].view().as<float>()[1]), 1 / std::sqrt(0.25 + 1e-5), 1e-6);
}

// Wherever sums begin anew.
TEST(BatchNorm, RegularOutliersLeaveTheDeviationsRight) {
  const Example example("batch_norm", {12800, 128, 1}, Dtype::Float32, {0.0}, 8);
  for (std::int64_t i = 0; i < 12800; i += 64) {
    for (std::int64_t c = 0; c < 128; ++c) set(example.inputs[0], i * 128 + c, 1000.0);
  }
  const Values exact = define_all(
      example.call, {to_values(example.inputs[0].view()), to_values(example.inputs[1].view()),
                     to_values(example.inputs[2].view())})[2];
  const Values rstd = to_values(run_all(kEigenEngine, example, 2)[2].view());
  for (std::size_t c = 0; c < 128; ++c) ASSERT_NEAR(rstd[c] / exact[c], 1, 4e-7) << c;
}

TEST(BatchNorm, ANanSpoilsItsChannelOnly) {
  const Example example("batch_norm", {40, 3, 1}, Dtype::Float32, {}, 7);
  set(example.inputs[0], 3 * 17 + 1, std::numeric_limits<double>::quiet_NaN());
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i % 3 == 1) << i;
}

TEST(BatchNorm, AChannelWhoseSquaresOverflowComesOutAtTheBias) {
  expect_bias_where_squares_overflow("batch_norm", {8, 1, 1});
  expect_bias_where_squares_overflow("batch_norm", {1, 1, 8});
  expect_bias_where_squares_overflow("batch_norm", {2, 1, 4});
}

}  // namespace
}  // namespace siliconprof::cpu
