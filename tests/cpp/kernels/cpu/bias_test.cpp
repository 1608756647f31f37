#include "siliconprof/kernels/cpu/bias.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes{{1, 1},    {3, 5}, {70, 128}, {1001, 7},
                                                     {9, 1001}, {0, 5}, {5, 0},    {513, 3}};

// Sums are at most 2; the functions have slopes up to 1.13 there.
TEST(Bias, EveryFunctionAgreesWithTheDefinition) {
  for (const Kernel& kernel : kBiasKernels) {
    for (const auto& dims : kShapes) {
      for (const Dtype dtype : kCpuDtypes) {
        const Example example(kernel.op, dims, dtype, {}, 1);
        Expected expected(example, kernel.op == "bias" ? 1 : 12);
        for (double& size : expected.sizes[0]) size = 2;
        for (const int threads : {1, 3}) expect_rounded(example, expected, 1, threads);
      }
    }
  }
}

TEST(Bias, EveryFunctionMayReplaceItsInput) {
  for (const Kernel& kernel : kBiasKernels) {
    const Example example(kernel.op, {50, 77}, Dtype::Float32, {}, 5);
    const Values wanted = to_values(run(kEigenEngine, example, 1).view());
    const std::array outputs{example.inputs[0].view()};
    kernel.run({example.call, example.views(), outputs, 2, {}});
    EXPECT_EQ(to_values(outputs[0]), wanted) << kernel.op;
  }
}

// As the activation alone: far out gelu is 0 or x.
TEST(Bias, LargeNumbersAndNansPass) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const char* op : {"bias_gelu_tanh", "bias_gelu_erf", "bias_relu"}) {
    const Example example(op, {1, 5}, Dtype::Float32, {}, 5);
    const std::array<double, 5> x{100, -100, std::nan(""), 0, inf};
    for (std::int64_t i = 0; i < 5; ++i) {
      set(example.inputs[0], i, x[std::size_t(i)]);
      set(example.inputs[1], i, 0.0);
    }
    const Values y = to_values(run(kEigenEngine, example, 1).view());
    EXPECT_EQ(y[0], 100);
    EXPECT_EQ(y[1], 0);
    EXPECT_TRUE(std::isnan(y[2]));
    EXPECT_EQ(y[3], 0);
    EXPECT_EQ(y[4], inf);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
