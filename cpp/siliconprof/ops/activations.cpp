#include "siliconprof/ops/activations.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 1> kSlope{{{"slope", 0.01}}};
constexpr std::array<AttributeInfo, 2> kBend{{{"beta", 1.0, kNotZero}, {"threshold", 20.0}}};
using Attributes = std::span<const AttributeInfo>;

template <int Inputs>
Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {std::vector<Slot>(Inputs, shape), {shape}};
}

template <int Inputs, int FlopsEach>
Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {
      .vector_flops = FlopsEach * n, .bytes_read = Inputs * n * size, .bytes_written = n * size};
}

// The backward op takes x, not y: it holds for every function alike, also where y says too little.
template <const Op& Backward>
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto& a = call.attributes;
  return {emit_gradient(trace, Backward, {call.dims[0]}, call.dtype, {a[0], a[1]},
                        {call.inputs[0], cotangents[0]}, "dx")};
}

template <int FlopsEach, const Op& Backward>
constexpr Op forward_row(std::string_view name, std::string_view summary, Attributes attributes) {
  return {name,       summary,      OpClass::Elementwise, kDims,
          attributes, signature<1>, cost<1, FlopsEach>,   vjp<Backward>,
          1};
}

template <int FlopsEach>
constexpr Op backward_row(std::string_view name, std::string_view summary, Attributes attributes) {
  return {name,       summary,      OpClass::Elementwise, kDims,
          attributes, signature<2>, cost<2, FlopsEach>,   nullptr,
          1};
}

}  // namespace

constinit const Op kRelu = forward_row<1, kReluBackward>("relu", "y = max(x, 0); length n", {});
constinit const Op kReluBackward =
    backward_row<1>("relu_backward", "dx = dy where x > 0, else 0; length n", {});

constinit const Op kLeakyRelu = forward_row<2, kLeakyReluBackward>(
    "leaky_relu", "y = x where x > 0, else slope·x; length n", kSlope);
constinit const Op kLeakyReluBackward =
    backward_row<2>("leaky_relu_backward", "dx = dy where x > 0, else slope·dy; length n", kSlope);

constinit const Op kSelu = forward_row<4, kSeluBackward>(
    "selu", "y = 1.0507·(x where x > 0, else 1.6733·(exp(x) - 1)); length n", {});
constinit const Op kSeluBackward = backward_row<4>(
    "selu_backward", "dx = 1.0507·dy·(1 where x > 0, else 1.6733·exp(x)); length n", {});

constinit const Op kSigmoid =
    forward_row<4, kSigmoidBackward>("sigmoid", "y = 1/(1 + exp(-x)); length n", {});
constinit const Op kSigmoidBackward =
    backward_row<7>("sigmoid_backward", "dx = dy·y·(1 - y), y = sigmoid(x); length n", {});

constinit const Op kSoftplus = forward_row<5, kSoftplusBackward>(
    "softplus", "y = log(1 + exp(beta·x))/beta, x where beta·x > threshold; length n", kBend);
constinit const Op kSoftplusBackward = backward_row<6>(
    "softplus_backward", "dx = dy·sigmoid(beta·x), dy where beta·x > threshold; length n", kBend);

constinit const Op kGeluErf =
    forward_row<5, kGeluErfBackward>("gelu_erf", "y = x/2·(1 + erf(x/√2)); length n", {});
constinit const Op kGeluErfBackward = backward_row<11>(
    "gelu_erf_backward", "dx = dy·(Φ(x) + x·φ(x)), the normal distribution's; length n", {});

constinit const Op kGeluTanh = forward_row<9, kGeluTanhBackward>(
    "gelu_tanh", "y = x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))); length n", {});
constinit const Op kGeluTanhBackward = backward_row<18>(
    "gelu_tanh_backward", "dx = dy times the slope of gelu_tanh at x; length n", {});

constinit const Op kSilu = forward_row<4, kSiluBackward>("silu", "y = x·sigmoid(x); length n", {});
constinit const Op kSiluBackward =
    backward_row<9>("silu_backward", "dx = dy·s·(1 + x·(1 - s)), s = sigmoid(x); length n", {});

}  // namespace siliconprof
