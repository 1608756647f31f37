#include "siliconprof/ops/matvec.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/outer.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"m", "n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"transpose", 0.0}}};

Signature signature(const OpCall& call) {
  const auto [m, n] = first<2>(call.dims);
  const bool transpose = is_set(call.attributes[0]);
  return {{Shape{m, n}, Shape{transpose ? m : n}}, {Shape{transpose ? n : m}}};
}

Cost cost(const OpCall& call) {
  const auto [m, n] = first<2>(call.dims);
  const bool transpose = is_set(call.attributes[0]);
  const std::int64_t size = size_bytes(call.dtype);
  return {.matrix_flops = 2 * m * n,
          .bytes_read = (m * n + (transpose ? m : n)) * size,
          .bytes_written = (transpose ? n : m) * size};
}

// y = A·x: dA = dy·xᵀ, dx = Aᵀ·dy. y = Aᵀ·x: dA = x·dyᵀ, dx = A·dy.
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [m, n] = first<2>(call.dims);
  const bool transpose = is_set(call.attributes[0]);
  const TensorId a = call.inputs[0];
  const TensorId x = call.inputs[1];
  const TensorId dy = cotangents[0];
  const TensorId da = transpose
                          ? emit_gradient(trace, kOuter, {m, n}, call.dtype, {}, {x, dy}, "dA")
                          : emit_gradient(trace, kOuter, {m, n}, call.dtype, {}, {dy, x}, "dA");
  const TensorId dx =
      emit_gradient(trace, kMatvec, {m, n}, call.dtype, {double(!transpose)}, {a, dy}, "dx");
  return {da, dx};
}

}  // namespace

constinit const Op kMatvec{
    .name = "matvec",
    .summary = "y = A·x; A (m, n), x (n) → y (m); with transpose y = Aᵀ·x",
    .op_class = OpClass::MatrixVector,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
