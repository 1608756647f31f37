#include "siliconprof/kernels/reference/convolution.h"

#include <array>

#include "cost_proof.h"

namespace siliconprof::reference {
namespace {

using Attributes = std::array<double, 2>;
const auto kNoStep = [](std::int64_t) {};

TEST(ReferenceConvolution, CostIsWhatTheDefinitionTakes) {
  for (const Attributes& a : {Attributes{1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 2}, {5, 0}}) {
    const std::map<std::string, double> attributes{{"stride", a[0]}, {"padding", a[1]}};
    for (const std::int64_t length : {3, 6, 8}) {
      prove_op("conv1d",
               {{"batch", 2}, {"length", length}, {"channels", 3}, {"outputs", 2}, {"kernel", 3}},
               attributes);
    }
    prove_op("conv2d",
             {{"batch", 1},
              {"height", 5},
              {"width", 7},
              {"channels", 2},
              {"outputs", 3},
              {"kernel_h", 3},
              {"kernel_w", 4}},
             attributes);
  }
  prove_op("conv1d", {{"batch", 1}, {"length", 1}, {"channels", 1}, {"outputs", 1}, {"kernel", 1}},
           {});
}

TEST(ReferenceConvolution, TapsThatNeverMeetDataAreNotRead) {
  prove_op("conv1d", {{"batch", 1}, {"length", 1}, {"channels", 2}, {"outputs", 2}, {"kernel", 3}},
           {{"padding", 1}});
}

TEST(ReferenceConvolution, CostOfNothingIsWhatTheDefinitionTakes) {
  for (const char* op : {"conv1d", "conv1d_data_backward", "conv1d_weight_backward"}) {
    for (std::size_t empty = 0; empty < 4; ++empty) {
      std::array<std::int64_t, 5> dims{2, 4, 3, 2, 2};
      dims[empty] = 0;
      const Attributes attributes{1, 1};
      prove_cost(make_call(find_op(op), dims, Dtype::Float32, attributes));
    }
  }
}

TEST(ReferenceConvolution, SlidesAWindowByHand) {
  // Two channels, two taps, padding 1, stride 2: windows start at -1, 1 and 3.
  const OpCall call = make_call(kConv1d, std::array<std::int64_t, 5>{1, 4, 2, 1, 2}, Dtype::Float64,
                                Attributes{2, 1});
  const std::array<double, 8> x{1, 10, 2, 20, 3, 30, 4, 40};
  const std::array<double, 4> weight{1, 2, 3, 4};
  std::array<double, 3> y{};
  convolution<double>(call, x.data(), weight.data(), y.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 3>{43, 42 + 129, 84}));
  const std::array<double, 3> dy{1, 10, 100};
  std::array<double, 8> dx{};
  convolution_data_backward<double>(call, weight.data(), dy.data(), dx.data(), kNoStep);
  EXPECT_EQ(dx, (std::array<double, 8>{3, 4, 10, 20, 30, 40, 100, 200}));
  std::array<double, 4> dw{};
  convolution_weight_backward<double>(call, x.data(), dy.data(), dw.data(), kNoStep);
  EXPECT_EQ(dw, (std::array<double, 4>{20 + 400, 200 + 4000, 1 + 30, 10 + 300}));
}

TEST(ReferenceConvolution, OfAnImageIsACorrelationByHand) {
  const OpCall call =
      make_call(kConv2d, std::array<std::int64_t, 7>{1, 2, 3, 1, 1, 2, 2}, Dtype::Float64, {});
  const std::array<double, 6> x{1, 2, 3, 4, 5, 6};
  const std::array<double, 4> weight{1, 10, 100, 1000};
  std::array<double, 2> y{};
  convolution<double>(call, x.data(), weight.data(), y.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 2>{5421, 6532}));
}

}  // namespace
}  // namespace siliconprof::reference
