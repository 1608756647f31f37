#include "siliconprof/ops/scale.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"alpha", 2.0}}};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape}, {shape}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = n, .bytes_read = n * size, .bytes_written = n * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const std::int64_t n = call.dims[0];
  return {
      emit_gradient(trace, kScale, {n}, call.dtype, {call.attributes[0]}, {cotangents[0]}, "da")};
}

}  // namespace

constinit const Op kScale{
    .name = "scale",
    .summary = "b = alpha·a; length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
