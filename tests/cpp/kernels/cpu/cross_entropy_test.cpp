#include "siliconprof/kernels/cpu/cross_entropy.h"

#include <gtest/gtest.h>

#include "rounding_agreement.h"
#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<std::vector<std::int64_t>> kShapes{{1, 1},    {3, 5},    {70, 128},
                                                     {9, 1001}, {2, 5000}, {0, 5}};

// A rounding of the sum is one of its logarithm's argument: sizes are 1 and the scores'.
TEST(CrossEntropy, AgreesWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("cross_entropy", dims, dtype, {}, 1);
      Expected expected(example, lane_terms(dims[1]) + 10);
      for (Values& sizes : expected.sizes) {
        for (double& size : sizes) size += 2;
      }
      const double terms = double(dims[0] + dims[1]);
      for (const int threads : {1, 3}) expect_rounded(example, expected, terms, threads);
    }
  }
}

TEST(CrossEntropy, ItsGradientAgreesWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("cross_entropy_backward", dims, dtype, {}, 1);
      Expected expected(example, 12);
      const double factor = std::abs(expected.in[3][0]) / double(dims[0]);
      for (double& size : expected.sizes[0]) size += factor;
      for (const int threads : {1, 3}) expect_rounded(example, expected, 8, threads);
    }
  }
}

TEST(CrossEntropy, AnyThreadCountGivesTheSameBits) {
  for (const char* op : {"cross_entropy", "cross_entropy_backward"}) {
    expect_same_for_any_thread_count(Example(op, {333, 1001}, Dtype::Float32, {}, 5));
  }
}

TEST(CrossEntropy, LargeScoresDoNotOverflowAndRowsKeepTheirNans) {
  const Example example("cross_entropy", {4, 3000}, Dtype::Float32, {}, 5);
  for (std::int64_t i = 0; i < 3000; ++i) set(example.inputs[0], i, i == 2500 ? 3e38 : -3e38);
  set(example.inputs[0], 3000 + 5, kNan);
  set(example.inputs[0], 6000 + 2999, kInfinity);
  for (std::int64_t i = 0; i < 2999; ++i) set(example.inputs[0], 9000 + i, -kInfinity);
  const std::vector<Tensor> found = run_all(kEigenEngine, example, 2);
  const Values lse = to_values(found[1].view());
  EXPECT_EQ(lse[0], double(3e38F));
  EXPECT_TRUE(std::isnan(lse[1]));
  EXPECT_TRUE(std::isnan(lse[2]));
  EXPECT_EQ(lse[3], to_values(example.inputs[0].view())[11999]);
}

// Shares depend on differences alone: such that float32 still has at these scores.
TEST(CrossEntropy, TheGradientOfGreatScoresIsThatOfTheirDifferences) {
  const auto gradient = [](double offset) {
    const Example forward("cross_entropy", {2, 50}, Dtype::Float32, {}, 5);
    const Example backward("cross_entropy_backward", {2, 50}, Dtype::Float32, {}, 5);
    for (std::int64_t i = 0; i < 100; ++i) {
      const double score = offset + 0.25 * double(i * 7 % 13);
      set(forward.inputs[0], i, score);
      set(backward.inputs[0], i, score);
    }
    const std::vector<Tensor> kept = run_all(kEigenEngine, forward, 1);
    const std::array inputs{backward.inputs[0].view(), backward.inputs[1].view(), kept[1].view(),
                            backward.inputs[3].view()};
    const Tensor slopes(Dtype::Float32, {2, 50});
    const std::array outputs{slopes.view()};
    run_cross_entropy_backward({backward.call, inputs, outputs, 1, {}});
    return to_values(outputs[0]);
  };
  const Values wanted = gradient(0);
  for (const double offset : {-250.0, 250.0, -300.0, 1e3, -1e6, 2e6}) {
    const Values found = gradient(offset);
    const double bound = std::abs(offset) < 256 ? 1e-5 : 4e-6;  // by the logarithm as kept, or not
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(found[i], wanted[i], bound * std::abs(wanted[i])) << i << " at " << offset;
    }
  }
}

TEST(CrossEntropy, TheGradientMayReplaceTheLogits) {
  const Example example("cross_entropy_backward", {5, 77}, Dtype::Float32, {}, 5);
  const Values wanted = to_values(run(kEigenEngine, example, 1).view());
  const std::array outputs{example.inputs[0].view()};
  run_cross_entropy_backward({example.call, example.views(), outputs, 2, {}});
  EXPECT_EQ(to_values(outputs[0]), wanted);
}

TEST(CrossEntropy, ATargetThatIsNoClassIsRefused) {
  for (const char* op : {"cross_entropy", "cross_entropy_backward"}) {
    const Example example(op, {5, 7}, Dtype::Float32, {}, 5);
    example.inputs[1].view().as<std::int32_t>()[3] = 7;
    EXPECT_THROW(run(kEigenEngine, example, 1), ArgumentError);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
