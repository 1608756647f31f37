#pragma once

// Convolution of channels-last data, as neural networks mean it (a correlation): each output is
// the product of the weights with the window of the data under them. conv1d: x (batch, length,
// channels), weight (outputs, kernel, channels) → y (batch, windows, outputs); conv2d: x (batch,
// height, width, channels), weight (outputs, kernel_h, kernel_w, channels) → y (batch, windows_h,
// windows_w, outputs). A length has (length + 2·padding - kernel)/stride + 1 windows. No bias.
// Errors: what any op refuses (op.h), a window longer than the padded data, or of more than 2^20
// taps (ShapeError); stride below 1, padding below 0 or of a whole kernel (ArgumentError).
// Source: [dumoulin2016], for the sizes.

#include "siliconprof/ops/op.h"
#include "siliconprof/ops/window_axis.h"

namespace siliconprof {

extern const Op kConv1d;
/// weight, dy → dx.
extern const Op kConv1dDataBackward;
/// x, dy → dweight.
extern const Op kConv1dWeightBackward;
extern const Op kConv2d;
extern const Op kConv2dDataBackward;
extern const Op kConv2dWeightBackward;

/// The sizes of a call of any of these; conv1d works on planes that are one row high.
struct Convolution {
  std::int64_t batch;
  std::int64_t channels;
  std::int64_t outputs;
  WindowAxis rows;
  WindowAxis columns;
};
Convolution convolution_of(const OpCall& call);

/// Whether such a call is the convolution, or its gradient for the data or the weights.
enum class ConvolutionDirection : std::uint8_t { Forward, Data, Weights };
ConvolutionDirection direction_of(const OpCall& call);

}  // namespace siliconprof
