#include "siliconprof/ops/bias_activation.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/sum.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"rows", "n"};

Signature signature(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, Shape{n}}, {Shape{rows, n}}};
}

Signature backward_signature(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, Shape{n}, Shape{rows, n}}, {Shape{rows, n}}};
}

/// `Inputs` (rows, n) and the bias.
template <int Inputs, int FlopsEach>
Cost cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t biases = rows > 0 ? n : 0;  // of no row, none is read
  return {.vector_flops = FlopsEach * rows * n,
          .bytes_read = (Inputs * rows * n + biases) * size,
          .bytes_written = rows * n * size};
}

template <const Op& Backward>
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, n] = first<2>(call.dims);
  const TensorId dx = emit_gradient(trace, Backward, {rows, n}, call.dtype, {},
                                    {call.inputs[0], call.inputs[1], cotangents[0]}, "dx");
  const TensorId db = emit_gradient(trace, kSum, {1, rows, n}, call.dtype, {},
                                    {trace.add_view(dx, {1, rows, n})}, "db");
  return {dx, trace.add_view(db, {n})};
}

template <int FlopsEach, const Op& Backward>
constexpr Op forward_row(std::string_view name, std::string_view summary) {
  return {name,          summary, OpClass::Elementwise, kDims, {}, signature, cost<1, FlopsEach>,
          vjp<Backward>, 1};
}

template <int FlopsEach>
constexpr Op backward_row(std::string_view name, std::string_view summary) {
  return {name,    summary, OpClass::Elementwise, kDims, {}, backward_signature, cost<2, FlopsEach>,
          nullptr, 1};
}

}  // namespace

// One flop more than the activation's.
constinit const Op kBiasRelu =
    forward_row<2, kBiasReluBackward>("bias_relu", "y = max(x + b, 0); x, y (rows, n), b (n)");
constinit const Op kBiasReluBackward = backward_row<2>(
    "bias_relu_backward", "dx = dy where x + b > 0, else 0; x, dy, dx (rows, n), b (n)");

constinit const Op kBiasGeluErf = forward_row<6, kBiasGeluErfBackward>(
    "bias_gelu_erf", "y = gelu_erf(x + b); x, y (rows, n), b (n)");
constinit const Op kBiasGeluErfBackward =
    backward_row<12>("bias_gelu_erf_backward",
                     "dx = dy times the slope of gelu_erf at x + b; x, dy, dx (rows, n), b (n)");

constinit const Op kBiasGeluTanh = forward_row<10, kBiasGeluTanhBackward>(
    "bias_gelu_tanh", "y = gelu_tanh(x + b); x, y (rows, n), b (n)");
constinit const Op kBiasGeluTanhBackward =
    backward_row<19>("bias_gelu_tanh_backward",
                     "dx = dy times the slope of gelu_tanh at x + b; x, dy, dx (rows, n), b (n)");

}  // namespace siliconprof
