#include "siliconprof/ops/silu_gate.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, shape}, {shape}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 5 * n, .bytes_read = 2 * n * size, .bytes_written = n * size};
}

Signature backward_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, shape, shape}, {shape, shape}};
}

Cost backward_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 11 * n, .bytes_read = 3 * n * size, .bytes_written = 2 * n * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [gate, up] = first<2>(call.inputs);
  return emit_gradients(trace, kSiluGateBackward, {call.dims[0]}, call.dtype, {},
                        {gate, up, cotangents[0]}, {"dgate", "dup"});
}

}  // namespace

constinit const Op kSiluGate{
    .name = "silu_gate",
    .summary = "y = silu(gate)·up; gate, up, y length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

constinit const Op kSiluGateBackward{
    .name = "silu_gate_backward",
    .summary = "dgate = dy·up·silu'(gate), dup = dy·silu(gate); all length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
    .updatable_outputs = 2,
};

}  // namespace siliconprof
