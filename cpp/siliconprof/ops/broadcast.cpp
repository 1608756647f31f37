#include "siliconprof/ops/broadcast.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/sum.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"outer", "size", "inner"};

Signature signature(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  return {{Shape{outer, inner}}, {Shape{outer, size, inner}}};
}

Cost cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::int64_t bytes = size_bytes(call.dtype);
  return {.bytes_read = outer * inner * bytes, .bytes_written = outer * size * inner * bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, size, inner] = first<3>(call.dims);
  return {emit_gradient(trace, kSum, {outer, size, inner}, call.dtype, {}, {cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kBroadcast{
    .name = "broadcast",
    .summary = "y repeats x along an axis; x (outer, inner) → y (outer, size, inner)",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
