#include "siliconprof/ops/nt_xent.h"

#include <gtest/gtest.h>

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

TEST(NtXent, CountsWhatLiesOffTheDiagonal) {
  const std::array<std::int64_t, 1> dims{6};
  EXPECT_EQ(kNtXent.cost(make_call(kNtXent, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 6 * 28 + 1, .bytes_read = 60, .bytes_written = 4 + 24}));
  EXPECT_EQ(kNtXentBackward.cost(make_call(kNtXentBackward, dims, Dtype::Float16, {})),
            (Cost{.vector_flops = 6 * 21 + 1, .bytes_read = 60 + 28, .bytes_written = 72}));
}

TEST(NtXent, ItsGradientTakesTheKeptLogarithmsAndTheSameTemperature) {
  Trace trace = single_op("nt_xent", {{"rows", 6}}, Dtype::Float16, {{"temperature", 0.1}}, false);
  const OpCall forward = trace.calls()[0];
  const std::array cotangents{trace.add_tensor({"dloss", Shape{1}, Dtype::Float32, Role::Input}),
                              kNoTensor};
  kNtXent.vjp(trace, forward, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[1].inputs[1], forward.outputs[1]);
  EXPECT_EQ(trace.calls()[1].attributes[0], 0.1);
}

TEST(NtXent, RowsComeInPairs) {
  try {
    make_call(kNtXent, std::array<std::int64_t, 1>{5}, Dtype::Float32, {});
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "[nt_xent] rows is 5; needed: an even number, at most 268435456");
  }
}

TEST(NtXent, TheTemperatureIsPositive) {
  EXPECT_THROW(make_call(kNtXent, std::array<std::int64_t, 1>{4}, Dtype::Float32, std::array{0.0}),
               ArgumentError);
}

}  // namespace
}  // namespace siliconprof
