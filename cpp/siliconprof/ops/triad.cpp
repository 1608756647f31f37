#include "siliconprof/ops/triad.h"

#include <array>

#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/scale.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"alpha", 2.0}}};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, shape}, {shape}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 2 * n, .bytes_read = 2 * n * size, .bytes_written = n * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const std::int64_t n = call.dims[0];
  return {
      emit_gradient(trace, kCopy, {n}, call.dtype, {}, {cotangents[0]}, "da"),
      emit_gradient(trace, kScale, {n}, call.dtype, {call.attributes[0]}, {cotangents[0]}, "db")};
}

}  // namespace

constinit const Op kTriad{
    .name = "triad",
    .summary = "c = a + alpha·b; length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
