#include "siliconprof/kernels/cpu/convolution_weights.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine_agreement.h"

namespace siliconprof::cpu {
namespace {

// Whole numbers: sums are exact in any order, so chunks, groups and tasks must add up to the bit.
void expect_exact(const std::vector<std::int64_t>& dims, double stride, double padding) {
  const OpCall call = make_call(find_op("conv2d_weight_backward"), dims, Dtype::Float32,
                                std::vector<double>{stride, padding});
  const Signature signature = call.op->signature(call);
  std::vector<Values> in;
  std::vector<std::vector<float>> floats;
  for (const Slot& slot : signature.inputs) {
    Values& values = in.emplace_back();
    for (std::int64_t i = 0; i < slot.shape.elements(); ++i) {
      values.push_back(double((i * 7 + 3) % 5) - 2.0);
    }
    floats.emplace_back(values.begin(), values.end());
  }
  const Values expected = define(call, in);
  std::vector<float> dweight(expected.size(), 77.0F);
  const Poll poll;
  sum_weight_gradient<float>({call, {}, {}, 2, poll}, convolution_of(call), floats[0].data(),
                             floats[1].data(), dweight.data());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(double(dweight[i]), expected[i]) << i;
}

TEST(ConvolutionWeights, ChunksGroupsAndTasksAddUpExactly) {
  expect_exact({30, 16, 16, 20, 24, 3, 3}, 1, 1);  // several chunks
  expect_exact({2, 5, 2000, 3, 16, 1, 3}, 1, 0);   // long rows in strips, rows of few channels
  expect_exact({2, 5, 2000, 20, 5, 1, 3}, 2, 0);   // vectors along channels that don't fill them
  expect_exact({3, 6, 6, 150, 70, 2, 2}, 2, 1);    // several tasks each way
  expect_exact({1, 1, 1, 1, 1, 1, 1}, 1, 0);
}

TEST(ConvolutionWeights, TapsOfFewChannelsAreJoinedWhereAllOfThemFallOnData) {
  expect_exact({5, 9, 11, 3, 64, 3, 3}, 1, 1);     // windows without the first or the last tap
  expect_exact({5, 9, 11, 3, 64, 3, 3}, 2, 2);     // the same in steps
  expect_exact({2, 4, 2, 3, 32, 5, 5}, 1, 4);      // no window has all taps
  expect_exact({40, 30, 30, 2, 16, 3, 3}, 1, 0);   // every window has, in several chunks
  expect_exact({2, 9, 900, 1, 64, 11, 11}, 1, 5);  // rows in strips
}

}  // namespace
}  // namespace siliconprof::cpu
