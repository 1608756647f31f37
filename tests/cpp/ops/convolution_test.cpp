#include "siliconprof/ops/convolution.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Convolution, OfAWholeImageCostsTwoFlopsForEachTapChannelAndOutput) {
  const OpCall call = make_call(kConv2d, Dims{2, 6, 7, 3, 4, 3, 5}, Dtype::Float32, {});
  const std::int64_t y = 2 * 4 * 3 * 4;
  EXPECT_EQ(kConv2d.cost(call), (Cost{.matrix_flops = 2 * y * 3 * 5 * 3,
                                      .bytes_read = (2 * 6 * 7 * 3 + 4 * 3 * 5 * 3) * 4,
                                      .bytes_written = y * 4}));
}

TEST(Convolution, PaddingCostsNothing) {
  // Of 3 taps on 4 windows, one falls off at each end.
  const OpCall call =
      make_call(kConv1d, Dims{1, 4, 1, 1, 3}, Dtype::Float16, std::vector<double>{1, 1});
  EXPECT_EQ(kConv1d.cost(call),
            (Cost{.matrix_flops = 2 * 10, .bytes_read = (4 + 3) * 2, .bytes_written = 4 * 2}));
}

TEST(Convolution, WhatStridesPassOverIsNotRead) {
  const OpCall call =
      make_call(kConv1d, Dims{1, 8, 1, 1, 1}, Dtype::Float32, std::vector<double>{2, 0});
  EXPECT_EQ(kConv1d.cost(call).bytes_read, (4 + 1) * 4);
  const OpCall data = make_call(kConv1dDataBackward, Dims{1, 8, 1, 1, 1}, Dtype::Float32,
                                std::vector<double>{2, 0});
  EXPECT_EQ(kConv1dDataBackward.cost(data).bytes_written, 8 * 4);
}

TEST(Convolution, ShapesAreChannelsLast) {
  const OpCall call =
      make_call(kConv2d, Dims{2, 9, 8, 3, 4, 3, 2}, Dtype::Float32, std::vector<double>{2, 1});
  const Signature signature = kConv2d.signature(call);
  EXPECT_EQ(signature.inputs[0].shape, (Shape{2, 9, 8, 3}));
  EXPECT_EQ(signature.inputs[1].shape, (Shape{4, 3, 2, 3}));
  EXPECT_EQ(signature.outputs[0].shape, (Shape{2, 5, 5, 4}));
}

TEST(Convolution, OfNoDataReadsNothingAndWritesZeros) {
  const OpCall call = make_call(kConv1d, Dims{2, 5, 0, 4, 3}, Dtype::Float32, {});
  EXPECT_EQ(kConv1d.cost(call), (Cost{.bytes_written = 2 * 3 * 4 * 4}));
}

TEST(Convolution, VjpIsTwoConvolutionsOfTheSameWork) {
  const std::map<std::string, double> attributes{{"stride", 2}, {"padding", 1}};
  const Trace one = single_op(
      "conv1d", {{"batch", 2}, {"length", 9}, {"channels", 3}, {"outputs", 4}, {"kernel", 3}},
      Dtype::Float32, attributes, false);
  const Trace trace = single_op(
      "conv1d", {{"batch", 2}, {"length", 9}, {"channels", 3}, {"outputs", 4}, {"kernel", 3}},
      Dtype::Float32, attributes, true);
  ASSERT_EQ(trace.calls().size(), 2U);
  EXPECT_EQ(trace.calls()[0].op->name, "conv1d_data_backward");
  EXPECT_EQ(trace.calls()[1].op->name, "conv1d_weight_backward");
  EXPECT_EQ(trace.cost().matrix_flops, 2 * one.cost().matrix_flops);
}

TEST(Convolution, In1dIsOneRowIn2d) {
  const OpCall call =
      make_call(kConv1d, Dims{2, 9, 3, 4, 5}, Dtype::Float32, std::vector<double>{2, 1});
  const Convolution c = convolution_of(call);
  EXPECT_EQ(c.rows.windows(), 1);
  EXPECT_EQ(c.rows.pairs(), 1);
  EXPECT_EQ(c.columns.windows(), 4);
  EXPECT_EQ(c.columns.kernel, 5);
}

}  // namespace
}  // namespace siliconprof
