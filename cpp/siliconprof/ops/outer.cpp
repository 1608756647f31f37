#include "siliconprof/ops/outer.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/matvec.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"m", "n"};

Signature signature(const OpCall& call) {
  const auto [m, n] = first<2>(call.dims);
  return {{Shape{m}, Shape{n}}, {Shape{m, n}}};
}

Cost cost(const OpCall& call) {
  const auto [m, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = m * n, .bytes_read = (m + n) * size, .bytes_written = m * n * size};
}

// dx = dC·y, dy = dCᵀ·x.
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [m, n] = first<2>(call.dims);
  const TensorId dc = cotangents[0];
  const TensorId dx =
      emit_gradient(trace, kMatvec, {m, n}, call.dtype, {0.0}, {dc, call.inputs[1]}, "dx");
  const TensorId dy =
      emit_gradient(trace, kMatvec, {m, n}, call.dtype, {1.0}, {dc, call.inputs[0]}, "dy");
  return {dx, dy};
}

}  // namespace

constinit const Op kOuter{
    .name = "outer",
    .summary = "C = x·yᵀ; x (m), y (n) → C (m, n)",
    .op_class = OpClass::OuterProduct,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
