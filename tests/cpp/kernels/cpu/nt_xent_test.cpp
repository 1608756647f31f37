#include "siliconprof/kernels/cpu/nt_xent.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

TEST(NtXent, AgreesWithTheDefinition) {
  for (const std::int64_t rows : {0, 2, 4, 30, 258}) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("nt_xent", {rows}, dtype, {0.4}, 1);
      Expected expected(example, lane_terms(rows) + 10);
      for (Values& sizes : expected.sizes) {
        for (double& size : sizes) size += 3;
      }
      for (const int threads : {1, 3}) expect_rounded(example, expected, double(2 * rows), threads);
    }
  }
}

TEST(NtXent, ItsGradientAgreesWithTheDefinition) {
  for (const std::int64_t rows : {0, 2, 4, 30, 258}) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("nt_xent_backward", {rows}, dtype, {0.4}, 1);
      Expected expected(example, 16);
      const double factor = std::abs(expected.in[2][0]) / (0.4 * double(rows));
      for (double& size : expected.sizes[0]) size += factor;
      for (const int threads : {1, 3}) expect_rounded(example, expected, 8, threads);
    }
  }
}

TEST(NtXent, TheDiagonalDoesNotCount) {
  const Example example("nt_xent", {6}, Dtype::Float32, {}, 5);
  const Values wanted = to_values(run(kEigenEngine, example, 1).view());
  for (std::int64_t i = 0; i < 6; ++i) set(example.inputs[0], 7 * i, i % 2 == 0 ? kNan : kInfinity);
  EXPECT_EQ(to_values(run(kEigenEngine, example, 1).view()), wanted);
}

/// Far below all other similarities; over a temperature below 1 no number of the format.
double far_below(Dtype dtype) {
  if (dtype == Dtype::Float64) return -1.5e308;
  return dtype == Dtype::Float16 ? -6e4 : -2e38;
}

// Each row on the side of the diagonal where its positive isn't, all of it: one element of the
// second row, and of the last but one.
TEST(NtXent, ASideOfTheDiagonalCanBeMasked) {
  for (const char* op : {"nt_xent", "nt_xent_backward"}) {
    for (const std::int64_t rows : {4, 30, 258}) {
      for (const Dtype dtype : kCpuDtypes) {
        for (const double masked : {-kInfinity, far_below(dtype)}) {
          const Example example(op, {rows}, dtype, {0.4}, 1);
          for (std::int64_t row = 0; row < rows; ++row) {
            const bool left = row < rows / 2;
            for (std::int64_t i = left ? 0 : row + 1; i < (left ? row : rows); ++i) {
              set(example.inputs[0], row * rows + i, masked);
            }
          }
          Expected expected(example, lane_terms(rows) + 16);
          for (Values& sizes : expected.sizes) {
            for (double& size : sizes) size += 3;
          }
          for (const int threads : {1, 3}) {
            expect_rounded(example, expected, double(2 * rows), threads);
          }
        }
      }
    }
  }
}

TEST(NtXent, ARowThatIsMaskedAsAWholeHasNoLoss) {
  const Example example("nt_xent", {4}, Dtype::Float32, {0.4}, 1);
  for (const double masked : {-kInfinity, far_below(Dtype::Float32)}) {
    for (const std::int64_t row : {0, 2}) {
      for (std::int64_t i = 0; i < 4; ++i) set(example.inputs[0], 4 * row + i, masked);
    }
    const std::vector<Tensor> found = run_all(kEigenEngine, example, 1);
    EXPECT_TRUE(std::isnan(to_values(found[0].view())[0]));
    const Values logarithms = to_values(found[1].view());
    for (std::size_t row = 0; row < 4; ++row) EXPECT_EQ(std::isnan(logarithms[row]), row % 2 == 0);
  }
}

// The same scores have the same shares at any temperature, and slopes as many times as great.
TEST(NtXent, TheGradientOfALowTemperatureKeepsItsDigits) {
  constexpr std::int64_t rows = 30;
  const auto gradient = [](double temperature, double offset) {
    const Example forward("nt_xent", {rows}, Dtype::Float32, {temperature}, 5);
    const Example backward("nt_xent_backward", {rows}, Dtype::Float32, {temperature}, 5);
    for (std::int64_t i = 0; i < rows * rows; ++i) {
      const double score = offset + 0.25 * double(i * 7 % 13);
      set(forward.inputs[0], i, score * temperature);
      set(backward.inputs[0], i, score * temperature);
    }
    const std::vector<Tensor> kept = run_all(kEigenEngine, forward, 1);
    const std::array inputs{backward.inputs[0].view(), kept[1].view(), backward.inputs[2].view()};
    const Tensor slopes(Dtype::Float32, {rows, rows});
    const std::array outputs{slopes.view()};
    run_nt_xent_backward({backward.call, inputs, outputs, 1, {}});
    Values scaled = to_values(outputs[0]);
    for (double& slope : scaled) slope *= temperature;
    return scaled;
  };
  const Values wanted = gradient(1, 0);
  for (const double temperature : {0x1p-10, 0x1p-20}) {  // products of scores have no roundings
    for (const double offset : {-300.0, 1e3, 1e6}) {
      const Values found = gradient(temperature, offset);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(found[i], wanted[i], 4e-6 * std::abs(wanted[i])) << i << " at " << offset;
      }
    }
  }
}

TEST(NtXent, TheGradientMayReplaceTheSimilarities) {
  const Example example("nt_xent_backward", {70}, Dtype::Float32, {}, 5);
  const Values wanted = to_values(run(kEigenEngine, example, 1).view());
  const std::array outputs{example.inputs[0].view()};
  run_nt_xent_backward({example.call, example.views(), outputs, 2, {}});
  EXPECT_EQ(to_values(outputs[0]), wanted);
}

}  // namespace
}  // namespace siliconprof::cpu
