#include "siliconprof/ops/pool.h"

#include <array>
#include <limits>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 5> kDims{"batch", "height", "width", "channels", "kernel"};
constexpr std::array<AttributeInfo, 2> kAttributes{{{"stride", 2.0}, {"padding", 0.0}}};

Shape x_shape(const Pooling& p) { return {p.batch, p.rows.length, p.columns.length, p.channels}; }

Shape y_shape(const Pooling& p) {
  return {p.batch, p.rows.windows(), p.columns.windows(), p.channels};
}

Slot positions(const Pooling& p) { return indices(y_shape(p), p.plane()); }

Signature max_signature(const OpCall& call) {
  const Pooling p = pooling_of(call);
  return {{x_shape(p)}, {y_shape(p), positions(p)}};
}

Signature max_backward_signature(const OpCall& call) {
  const Pooling p = pooling_of(call);
  return {{positions(p), y_shape(p)}, {x_shape(p)}};
}

Signature avg_signature(const OpCall& call) {
  const Pooling p = pooling_of(call);
  return {{x_shape(p)}, {y_shape(p)}};
}

Signature avg_backward_signature(const OpCall& call) {
  const Pooling p = pooling_of(call);
  return {{y_shape(p)}, {x_shape(p)}};
}

struct Counts {
  std::int64_t pairs;    // (window, element under it)
  std::int64_t covered;  // elements that some window covers
  std::int64_t x;
  std::int64_t y;
};

Counts counts(const OpCall& call) {
  const Pooling p = pooling_of(call);
  const std::int64_t planes = p.batch * p.channels;
  return {planes * p.rows.pairs() * p.columns.pairs(),
          planes * p.rows.covered() * p.columns.covered(), planes * p.plane(),
          planes * p.windows()};
}

// One comparison less than elements in a window.
Cost max_cost(const OpCall& call) {
  const Counts n = counts(call);
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = n.pairs - n.y,
          .bytes_read = n.covered * size,
          .bytes_written = n.y * (size + size_bytes(Dtype::Int32))};
}

Cost max_backward_cost(const OpCall& call) {
  const Counts n = counts(call);
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = n.y,
          .bytes_read = n.y * (size + size_bytes(Dtype::Int32)),
          .bytes_written = n.x * size};
}

// A sum, and a quotient for each result.
Cost avg_cost(const OpCall& call) {
  const Counts n = counts(call);
  const std::int64_t size = size_bytes(call.dtype);
  return {
      .vector_flops = n.pairs + n.y, .bytes_read = n.covered * size, .bytes_written = n.y * size};
}

// A quotient for each element that some window covers: the others are zero.
Cost avg_backward_cost(const OpCall& call) {
  const Counts n = counts(call);
  const std::int64_t size = size_bytes(call.dtype);
  return {
      .vector_flops = n.pairs + n.covered, .bytes_read = n.y * size, .bytes_written = n.x * size};
}

std::vector<TensorId> max_vjp(Trace& trace, const OpCall& call,
                              std::span<const TensorId> cotangents) {
  const auto [batch, height, width, channels, kernel] = first<5>(call.dims);
  const auto [stride, padding] = first<2>(call.attributes);
  const TensorId position = kept_outputs(trace, call)[1];
  return {emit_gradient(trace, kMaxPool2dBackward, {batch, height, width, channels, kernel},
                        call.dtype, {stride, padding}, {position, cotangents[0]}, "dx")};
}

std::vector<TensorId> avg_vjp(Trace& trace, const OpCall& call,
                              std::span<const TensorId> cotangents) {
  const auto [batch, height, width, channels, kernel] = first<5>(call.dims);
  const auto [stride, padding] = first<2>(call.attributes);
  return {emit_gradient(trace, kAvgPool2dBackward, {batch, height, width, channels, kernel},
                        call.dtype, {stride, padding}, {cotangents[0]}, "dx")};
}

void require(bool right, const OpCall& call, std::string_view what, std::int64_t found,
             const std::string& needed) {
  if (right) return;
  throw ShapeError("[" + std::string(call.op->name) + "] " + std::string(what) + " is " +
                   std::to_string(found) + "; needed: " + needed);
}

}  // namespace

Pooling pooling_of(const OpCall& call) {
  const auto [batch, height, width, channels, kernel] = first<5>(call.dims);
  const auto [stride, padding] = first<2>(call.attributes);
  // A window of padding alone would have no largest element.
  require(height > 0, call, "height", height, "at least 1");
  require(width > 0, call, "width", width, "at least 1");
  require(height <= std::numeric_limits<std::int32_t>::max() / width, call, "height·width",
          height * width, "what an int32 position can name");
  const Pooling p{batch, channels, window_axis(call, 1, 4, stride, padding),
                  window_axis(call, 2, 4, stride, padding)};
  require(2 * p.rows.padding <= kernel, call, "padding", p.rows.padding, "at most half the kernel");
  return p;
}

constinit const Op kMaxPool2d{
    .name = "max_pool2d",
    .summary =
        "y = largest of each window, and its position in the plane; x (batch, height, "
        "width, channels) → y, position (batch, windows_h, windows_w, channels)",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = max_signature,
    .cost = max_cost,
    .vjp = max_vjp,
};

constinit const Op kMaxPool2dBackward{
    .name = "max_pool2d_backward",
    .summary =
        "dx = Σ dy where the largest was; position, dy (batch, windows_h, windows_w, "
        "channels) → dx (batch, height, width, channels)",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = max_backward_signature,
    .cost = max_backward_cost,
    .vjp = nullptr,
};

constinit const Op kAvgPool2d{
    .name = "avg_pool2d",
    .summary =
        "y = Σ of each window / kernel²; x (batch, height, width, channels) → y (batch, "
        "windows_h, windows_w, channels)",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = avg_signature,
    .cost = avg_cost,
    .vjp = avg_vjp,
};

constinit const Op kAvgPool2dBackward{
    .name = "avg_pool2d_backward",
    .summary =
        "dx = Σ dy of the windows above / kernel²; dy (batch, windows_h, windows_w, "
        "channels) → dx (batch, height, width, channels)",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = avg_backward_signature,
    .cost = avg_backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
