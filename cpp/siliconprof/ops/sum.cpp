#include "siliconprof/ops/sum.h"

#include <array>

#include "siliconprof/ops/broadcast.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"outer", "size", "inner"};

Signature signature(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  return {{Shape{outer, size, inner}}, {Shape{outer, inner}}};
}

Cost cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::int64_t bytes = size_bytes(call.dtype);
  return {.vector_flops = outer * size * inner,
          .bytes_read = outer * size * inner * bytes,
          .bytes_written = outer * inner * bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, size, inner] = first<3>(call.dims);
  return {emit_gradient(trace, kBroadcast, {outer, size, inner}, call.dtype, {}, {cotangents[0]},
                        "dx")};
}

}  // namespace

constinit const Op kSum{
    .name = "sum",
    .summary = "y = Σ x along an axis; x (outer, size, inner) → y (outer, inner)",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
