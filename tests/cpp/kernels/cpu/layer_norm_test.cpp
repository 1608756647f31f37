#include "siliconprof/kernels/cpu/layer_norm.h"

#include <gtest/gtest.h>

#include "norm_agreement.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes{{1, 1},    {3, 5},    {4, 16},   {7, 33},
                                                     {70, 768}, {9, 1000}, {2, 5000}, {200, 3},
                                                     {0, 5},    {1, 70001}};

NormMap map_of(const std::vector<std::int64_t>& dims) {
  const std::int64_t n = dims[1];
  return {dims[0] * n, dims[0], n, [n](std::int64_t i) { return i / n; },
          [n](std::int64_t i) { return i % n; }};
}

TEST(LayerNorm, RowsOfAnyLengthAgreeWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const int threads = 1 + int(dims[1] % 3);
      const NormMap map = map_of(dims);
      expect_norm_agrees(Example("layer_norm", dims, dtype, {}, 1), map, true, threads);
      expect_norm_agrees(Example("rms_norm", dims, dtype, {}, 2), map, false, threads);
    }
  }
}

TEST(LayerNorm, GradientsOfRowsOfAnyLengthAgreeWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const int threads = 1 + int(dims[1] % 3);
      const NormMap map = map_of(dims);
      expect_norm_gradient_agrees(Example("layer_norm_backward", dims, dtype, {}, 3), map, true,
                                  threads);
      expect_norm_gradient_agrees(Example("rms_norm_backward", dims, dtype, {}, 4), map, false,
                                  threads);
    }
  }
}

TEST(LayerNorm, RowsFarFrom0AgreeWithTheDefinition) {
  for (const auto& dims : kShapes) expect_far_from_0_agrees("layer_norm", dims, map_of(dims), 3);
}

TEST(LayerNorm, AnyThreadCountGivesTheSameBits) {
  for (const char* op : {"layer_norm", "layer_norm_backward", "rms_norm", "rms_norm_backward"}) {
    expect_same_for_any_thread_count(Example(op, {333, 130}, Dtype::Float32, {}, 5));
    // Rows that column_sums keeps some columns of at once, and so many parts that threads share
    // them.
    expect_same_for_any_thread_count(Example(op, {3000, 500}, Dtype::Float32, {}, 5));
    expect_same_for_any_thread_count(Example(op, {1000, 500}, Dtype::Float64, {}, 5));
  }
}

TEST(LayerNorm, ALargeMeanLeavesTheDeviationsRight) {
  const Example example("layer_norm", {2, 4096}, Dtype::Float32, {}, 6);
  auto* x = example.inputs[0].view().as<float>();
  for (std::int64_t i = 0; i < 8192; ++i) x[i] = 4096.0F + float(i % 2);  // deviations ±1/2
  const std::vector<Tensor> found = run_all(kEigenEngine, example, 1);
  EXPECT_EQ(found[1].view().as<float>()[0], 4096.5F);
  EXPECT_NEAR(double(found[2].view().as<float>()[0]), 1 / std::sqrt(0.25 + 1e-5), 1e-6);
}

TEST(LayerNorm, ANanSpoilsItsRowOnly) {
  const Example example("layer_norm", {3, 40}, Dtype::Float32, {}, 7);
  set(example.inputs[0], 40 + 7, std::numeric_limits<double>::quiet_NaN());
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 40 == 1) << i;
}

// As PyTorch: a row of equal numbers has no deviation, however large they are.
TEST(LayerNorm, ARowOfEqualNumbersComesOutAtTheBias) {
  for (const double value : {10.7, 1000.1, 100000.7}) {
    const Example example("layer_norm", {3, 771}, Dtype::Float32, {1e-5}, 4);
    for (std::int64_t i = 0; i < 3 * 771; ++i) set(example.inputs[0], i, double(float(value)));
    const Values bias = to_values(example.inputs[2].view());
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], bias[i % 771]) << value;
  }
}

TEST(LayerNorm, ARowWhoseSquaresOverflowComesOutAtTheBias) {
  for (const std::int64_t n : {4, 33}) {
    expect_bias_where_squares_overflow("layer_norm", {1, n});
  }
}

}  // namespace
}  // namespace siliconprof::cpu
