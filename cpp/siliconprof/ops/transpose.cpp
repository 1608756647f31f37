#include "siliconprof/ops/transpose.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kDims{"outer", "m", "n", "inner"};

Signature signature(const OpCall& call) {
  const auto [outer, m, n, inner] = first<4>(call.dims);
  return {{Shape{outer, m, n, inner}}, {Shape{outer, n, m, inner}}};
}

Cost cost(const OpCall& call) {
  const auto [outer, m, n, inner] = first<4>(call.dims);
  const std::int64_t bytes = outer * m * n * inner * size_bytes(call.dtype);
  return {.bytes_read = bytes, .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, m, n, inner] = first<4>(call.dims);
  return {emit_gradient(trace, kTranspose, {outer, n, m, inner}, call.dtype, {}, {cotangents[0]},
                        "dx")};
}

}  // namespace

constinit const Op kTranspose{
    .name = "transpose",
    .summary = "two axes exchanged; x (outer, m, n, inner) → y (outer, n, m, inner)",
    .op_class = OpClass::Rearrangement,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
