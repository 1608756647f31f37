#include "siliconprof/kernels/cpu/normalise.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes{{1, 1},    {3, 5}, {70, 128}, {9, 1000},
                                                     {2, 5000}, {0, 5}, {5, 0}};

TEST(Normalise, AgreesWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("normalise", dims, dtype, {}, 1);
      const Expected expected(example, lane_terms(dims[1]) + 8);
      for (const int threads : {1, 3}) expect_rounded(example, expected, double(dims[1]), threads);
    }
  }
}

TEST(Normalise, ItsGradientAgreesWithTheDefinition) {
  for (const auto& dims : kShapes) {
    const auto n = std::size_t(dims[1]);
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("normalise_backward", dims, dtype, {0.25}, 1);
      for (std::int64_t row = 0; row < dims[0]; ++row) {  // some below epsilon
        const double norm = 0.1 + 0.3 * double(row % 4);
        const TensorView& norms = example.inputs[1].view();
        with_element_type(norms.dtype, [&]<class T>() { norms.as<T>()[row] = T(norm); });
      }
      Expected expected(example, lane_terms(dims[1]) + 10);
      const std::vector<Values>& in = expected.in;
      for (std::size_t row = 0; row < std::size_t(dims[0]); ++row) {
        double dot = 0;
        for (std::size_t i = row * n; i < (row + 1) * n; ++i) dot += std::abs(in[0][i] * in[2][i]);
        for (std::size_t i = row * n; i < (row + 1) * n; ++i) {
          expected.sizes[0][i] = (std::abs(in[2][i]) + std::abs(in[0][i]) * dot) / 0.25;
        }
      }
      for (const int threads : {1, 3}) expect_rounded(example, expected, double(n), threads);
    }
  }
}

TEST(Normalise, ARowOfZerosStaysSo) {
  const Example example("normalise", {2, 40}, Dtype::Float32, {}, 7);
  for (std::int64_t i = 0; i < 40; ++i) set(example.inputs[0], i, 0.0);
  const std::vector<Tensor> found = run_all(kEigenEngine, example, 1);
  for (std::int64_t i = 0; i < 40; ++i) EXPECT_EQ(found[0].view().as<float>()[i], 0.0F);
  EXPECT_EQ(found[1].view().as<float>()[0], 0.0F);
}

}  // namespace
}  // namespace siliconprof::cpu
