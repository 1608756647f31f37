#include "siliconprof/ops/convolution.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 5> kDims1d{"batch", "length", "channels", "outputs",
                                                  "kernel"};
constexpr std::array<std::string_view, 7> kDims2d{"batch",   "height",   "width",   "channels",
                                                  "outputs", "kernel_h", "kernel_w"};
constexpr std::array<AttributeInfo, 2> kAttributes{{{"stride", 1.0}, {"padding", 0.0}}};

bool is_1d(const OpCall& call) { return call.op->dim_names.size() == kDims1d.size(); }

struct Shapes {
  Shape x;
  Shape weight;
  Shape y;
};

Shapes shapes(const OpCall& call) {
  const Convolution c = convolution_of(call);
  if (is_1d(call)) {
    return {{c.batch, c.columns.length, c.channels},
            {c.outputs, c.columns.kernel, c.channels},
            {c.batch, c.columns.windows(), c.outputs}};
  }
  return {{c.batch, c.rows.length, c.columns.length, c.channels},
          {c.outputs, c.rows.kernel, c.columns.kernel, c.channels},
          {c.batch, c.rows.windows(), c.columns.windows(), c.outputs}};
}

Signature signature(const OpCall& call) {
  const Shapes s = shapes(call);
  return {{s.x, s.weight}, {s.y}};
}

Signature data_signature(const OpCall& call) {
  const Shapes s = shapes(call);
  return {{s.weight, s.y}, {s.x}};
}

Signature weight_signature(const OpCall& call) {
  const Shapes s = shapes(call);
  return {{s.x, s.y}, {s.weight}};
}

/// All three make the same products: a multiply-add for each tap that falls on the data.
std::int64_t flops(const Convolution& c) {
  return 2 * c.batch * c.outputs * c.channels * c.rows.pairs() * c.columns.pairs();
}

// Elements that some product reads: data that a window covers, weights that fall on data.
std::int64_t data_read(const Convolution& c) {
  return c.batch * c.rows.covered() * c.columns.covered() * c.channels;
}
std::int64_t weights_read(const Convolution& c) {
  return c.outputs * c.rows.taps() * c.columns.taps() * c.channels;
}
std::int64_t results_read(const Convolution& c) {
  return c.batch * c.rows.windows() * c.columns.windows() * c.outputs;
}

Cost cost_of(const OpCall& call, std::int64_t read, const Shape& written) {
  const std::int64_t work = flops(convolution_of(call));
  const std::int64_t size = size_bytes(call.dtype);
  return {.matrix_flops = work,
          .bytes_read = work > 0 ? read * size : 0,
          .bytes_written = written.elements() * size};
}

Cost cost(const OpCall& call) {
  const Convolution c = convolution_of(call);
  return cost_of(call, data_read(c) + weights_read(c), shapes(call).y);
}

Cost data_cost(const OpCall& call) {
  const Convolution c = convolution_of(call);
  return cost_of(call, weights_read(c) + results_read(c), shapes(call).x);
}

Cost weight_cost(const OpCall& call) {
  const Convolution c = convolution_of(call);
  return cost_of(call, data_read(c) + results_read(c), shapes(call).weight);
}

// As products with the windows laid out as rows (implicit: no copy is made).
ProductShape product(const OpCall& call) {
  const Convolution c = convolution_of(call);
  const std::int64_t windows = c.batch * c.rows.windows() * c.columns.windows();
  const std::int64_t taps = c.rows.kernel * c.columns.kernel * c.channels;
  return {1, windows, taps, c.outputs, c.channels, taps, c.outputs, true};
}

ProductShape data_product(const OpCall& call) {
  const Convolution c = convolution_of(call);
  const std::int64_t places = c.batch * c.rows.length * c.columns.length;
  const std::int64_t taps = c.rows.kernel * c.columns.kernel * c.outputs;
  return {1, places, taps, c.channels, c.outputs, taps, c.channels, false};
}

ProductShape weight_product(const OpCall& call) {
  const Convolution c = convolution_of(call);
  const std::int64_t windows = c.batch * c.rows.windows() * c.columns.windows();
  const std::int64_t taps = c.rows.kernel * c.columns.kernel * c.channels;
  return {1, c.outputs, windows, taps, c.outputs, c.channels, taps, false};
}

std::vector<TensorId> vjp_1d(Trace& trace, const OpCall& call,
                             std::span<const TensorId> cotangents) {
  const auto [batch, length, channels, outputs, kernel] = first<5>(call.dims);
  const auto [stride, padding] = first<2>(call.attributes);
  const auto [x, weight] = first<2>(call.inputs);
  const TensorId dy = cotangents[0];
  return {emit_gradient(trace, kConv1dDataBackward, {batch, length, channels, outputs, kernel},
                        call.dtype, {stride, padding}, {weight, dy}, "dx"),
          emit_gradient(trace, kConv1dWeightBackward, {batch, length, channels, outputs, kernel},
                        call.dtype, {stride, padding}, {x, dy}, "dweight")};
}

std::vector<TensorId> vjp_2d(Trace& trace, const OpCall& call,
                             std::span<const TensorId> cotangents) {
  const auto [b, h, w, c, outputs, kernel_h, kernel_w] = first<7>(call.dims);
  const auto [stride, padding] = first<2>(call.attributes);
  const auto [x, weight] = first<2>(call.inputs);
  const TensorId dy = cotangents[0];
  return {emit_gradient(trace, kConv2dDataBackward, {b, h, w, c, outputs, kernel_h, kernel_w},
                        call.dtype, {stride, padding}, {weight, dy}, "dx"),
          emit_gradient(trace, kConv2dWeightBackward, {b, h, w, c, outputs, kernel_h, kernel_w},
                        call.dtype, {stride, padding}, {x, dy}, "dweight")};
}

}  // namespace

Convolution convolution_of(const OpCall& call) {
  const auto [stride, padding] = first<2>(call.attributes);
  const auto& dims = call.dims;
  if (is_1d(call)) {
    const WindowAxis one{1, 1, 1, 0};
    return {dims[0], dims[2], dims[3], one, window_axis(call, 1, 4, stride, padding)};
  }
  return {dims[0], dims[3], dims[4], window_axis(call, 1, 5, stride, padding),
          window_axis(call, 2, 6, stride, padding)};
}

ConvolutionDirection direction_of(const OpCall& call) {
  if (call.op->name.ends_with("_data_backward")) return ConvolutionDirection::Data;
  return call.op->name.ends_with("_weight_backward") ? ConvolutionDirection::Weights
                                                     : ConvolutionDirection::Forward;
}

constinit const Op kConv1d{
    .name = "conv1d",
    .summary =
        "y[b, i, o] = Σ x[b, i·stride + t - padding, c]·w[o, t, c]; x (batch, length, "
        "channels), w (outputs, kernel, channels)",
    .op_class = OpClass::Convolution,
    .dim_names = kDims1d,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp_1d,
    .product = product,
};

constinit const Op kConv1dDataBackward{
    .name = "conv1d_data_backward",
    .summary =
        "gradient of conv1d's data: w (outputs, kernel, channels), dy (batch, windows, "
        "outputs) → dx (batch, length, channels)",
    .op_class = OpClass::Convolution,
    .dim_names = kDims1d,
    .attributes = kAttributes,
    .signature = data_signature,
    .cost = data_cost,
    .vjp = nullptr,
    .product = data_product,
};

constinit const Op kConv1dWeightBackward{
    .name = "conv1d_weight_backward",
    .summary =
        "gradient of conv1d's weights: x (batch, length, channels), dy (batch, windows, "
        "outputs) → dw (outputs, kernel, channels)",
    .op_class = OpClass::Convolution,
    .dim_names = kDims1d,
    .attributes = kAttributes,
    .signature = weight_signature,
    .cost = weight_cost,
    .vjp = nullptr,
    .product = weight_product,
};

constinit const Op kConv2d{
    .name = "conv2d",
    .summary =
        "y = x under w, windows stride apart; x (batch, height, width, channels), w "
        "(outputs, kernel_h, kernel_w, channels) → y (batch, windows_h, windows_w, outputs); 3 x 3 "
        "windows at every position, and their gradients, may go by Winograd's transforms, which "
        "round by the largest of 4 x 4 places and of a window's weights",
    .op_class = OpClass::Convolution,
    .dim_names = kDims2d,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp_2d,
    .product = product,
};

constinit const Op kConv2dDataBackward{
    .name = "conv2d_data_backward",
    .summary =
        "gradient of conv2d's data: w (outputs, kernel_h, kernel_w, channels), dy (batch, "
        "windows_h, windows_w, outputs) → dx (batch, height, width, channels)",
    .op_class = OpClass::Convolution,
    .dim_names = kDims2d,
    .attributes = kAttributes,
    .signature = data_signature,
    .cost = data_cost,
    .vjp = nullptr,
    .product = data_product,
};

constinit const Op kConv2dWeightBackward{
    .name = "conv2d_weight_backward",
    .summary =
        "gradient of conv2d's weights: x (batch, height, width, channels), dy (batch, "
        "windows_h, windows_w, outputs) → dw (outputs, kernel_h, kernel_w, channels)",
    .op_class = OpClass::Convolution,
    .dim_names = kDims2d,
    .attributes = kAttributes,
    .signature = weight_signature,
    .cost = weight_cost,
    .vjp = nullptr,
    .product = weight_product,
};

}  // namespace siliconprof
