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

TEST(NtXent, TheGradientMayReplaceTheSimilarities) {
  const Example example("nt_xent_backward", {70}, Dtype::Float32, {}, 5);
  const Values wanted = to_values(run(kEigenEngine, example, 1).view());
  const std::array outputs{example.inputs[0].view()};
  run_nt_xent_backward({example.call, example.views(), outputs, 2, {}});
  EXPECT_EQ(to_values(outputs[0]), wanted);
}

}  // namespace
}  // namespace siliconprof::cpu
