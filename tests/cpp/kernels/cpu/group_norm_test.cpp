#include "siliconprof/kernels/cpu/group_norm.h"

#include <gtest/gtest.h>

#include "norm_agreement.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes{{1, 1, 1, 1},  {2, 3, 4, 5},  {5, 2, 3, 1},
                                                     {2, 4, 8, 49}, {0, 2, 3, 4},  {3, 1, 2, 2500},
                                                     {2, 0, 3, 4},  {70, 2, 17, 1}};

NormMap map_of(const std::vector<std::int64_t>& dims) {
  const auto [batch, groups, channels, inner] =
      std::array<std::int64_t, 4>{dims[0], dims[1], dims[2], dims[3]};
  const std::int64_t n = channels * inner;
  const std::int64_t run = inner;
  const std::int64_t parameters = groups * channels;
  return {batch * groups * n, batch * groups, parameters, [n](std::int64_t i) { return i / n; },
          [run, parameters](std::int64_t i) { return i / run % parameters; }};
}

TEST(GroupNorm, AgreesWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      for (const int threads : {1, 3}) {
        const NormMap map = map_of(dims);
        expect_norm_agrees(Example("group_norm", dims, dtype, {}, 1), map, true, threads);
        expect_norm_gradient_agrees(Example("group_norm_backward", dims, dtype, {}, 2), map, true,
                                    threads);
      }
    }
  }
}

TEST(GroupNorm, GroupsFarFrom0AgreeWithTheDefinition) {
  for (const auto& dims : kShapes) expect_far_from_0_agrees("group_norm", dims, map_of(dims), 2);
}

TEST(GroupNorm, AGroupOfEqualNumbersComesOutAtTheBias) {
  for (const double value : {10.7, 1000.1, 100000.7}) {
    const Example example("group_norm", {2, 3, 4, 49}, Dtype::Float32, {1e-5}, 4);
    for (std::int64_t i = 0; i < 2 * 12 * 49; ++i) set(example.inputs[0], i, double(float(value)));
    const Values bias = to_values(example.inputs[2].view());
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], bias[i / 49 % 12]) << value;
  }
}

TEST(GroupNorm, AnyThreadCountGivesTheSameBits) {
  for (const char* op : {"group_norm", "group_norm_backward"}) {
    expect_same_for_any_thread_count(Example(op, {21, 4, 8, 49}, Dtype::Float32, {}, 5));
    expect_same_for_any_thread_count(Example(op, {301, 4, 50, 1}, Dtype::Float32, {}, 5));
  }
}

TEST(GroupNorm, AGroupWhoseSquaresOverflowComesOutAtTheBias) {
  expect_bias_where_squares_overflow("group_norm", {1, 1, 2, 4});
}

}  // namespace
}  // namespace siliconprof::cpu
