#include "siliconprof/ops/add.h"

#include <array>

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
  return {.vector_flops = n, .bytes_read = 2 * n * size, .bytes_written = n * size};
}

// The cotangent itself is both gradients.
std::vector<TensorId> vjp(Trace&, const OpCall&, std::span<const TensorId> cotangents) {
  return {cotangents[0], cotangents[0]};
}

}  // namespace

constinit const Op kAdd{
    .name = "add",
    .summary = "c = a + b; length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
