#include "siliconprof/ops/causal_mask.h"

#include <algorithm>
#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"batch", "rows", "columns"};

Shape shape(const OpCall& call) { return {call.dims[0], call.dims[1], call.dims[2]}; }

Signature signature(const OpCall& call) { return {{shape(call)}, {shape(call)}}; }

// What is masked is written, but not read.
Cost cost(const OpCall& call) {
  const auto [batch, rows, columns] = first<3>(call.dims);
  const std::int64_t corner = std::min(rows, columns);  // 1, 2, ... corner elements are seen
  const std::int64_t seen =
      corner * (corner + 1) / 2 + rows * std::max<std::int64_t>(columns - rows, 0);
  const std::int64_t size = size_bytes(call.dtype);
  return {.bytes_read = batch * seen * size, .bytes_written = batch * rows * columns * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [batch, rows, columns] = first<3>(call.dims);
  return {emit_gradient(trace, kCausalMaskBackward, {batch, rows, columns}, call.dtype, {},
                        {cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kCausalMask{
    .name = "causal_mask",
    .summary = "y = x where column ≤ row + columns - rows, else -inf; x, y (batch, rows, columns)",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

constinit const Op kCausalMaskBackward{
    .name = "causal_mask_backward",
    .summary = "dx = dy where column ≤ row + columns - rows, else 0; dy, dx (batch, rows, columns)",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = nullptr,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
