#include "siliconprof/ops/linear.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/matmul.h"
#include "siliconprof/ops/sum.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"rows", "in", "out"};

Signature signature(const OpCall& call) {
  const auto [rows, in, out] = first<3>(call.dims);
  return {{Shape{rows, in}, Shape{out, in}, Shape{out}}, {Shape{rows, out}}};
}

Cost cost(const OpCall& call) {
  const auto [rows, in, out] = first<3>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t factors = rows > 0 && out > 0 ? rows * in + out * in + out : 0;
  return {.matrix_flops = 2 * rows * in * out,
          .vector_flops = rows * out,
          .bytes_read = factors * size,
          .bytes_written = rows * out * size};
}

ProductShape product(const OpCall& call) {
  const auto [rows, in, out] = first<3>(call.dims);
  return {1, rows, in, out, in, in, out, true};
}

// dx = dy·weight, dweight = dyᵀ·x, dbias = Σ dy over the rows.
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, in, out] = first<3>(call.dims);
  const TensorId x = trace.add_view(call.inputs[0], Shape{1, rows, in});
  const TensorId weight = trace.add_view(call.inputs[1], Shape{1, out, in});
  const TensorId dy = trace.add_view(cotangents[0], Shape{1, rows, out});
  const TensorId dx =
      emit_gradient(trace, kMatmul, {1, rows, out, in}, call.dtype, {0.0, 0.0}, {dy, weight}, "dx");
  const TensorId dweight =
      emit_gradient(trace, kMatmul, {1, out, rows, in}, call.dtype, {1.0, 0.0}, {dy, x}, "dweight");
  const TensorId dbias = emit_gradient(trace, kSum, {1, rows, out}, call.dtype, {}, {dy}, "dbias");
  return {trace.add_view(dx, Shape{rows, in}), trace.add_view(dweight, Shape{out, in}),
          trace.add_view(dbias, Shape{out})};
}

}  // namespace

constinit const Op kLinear{
    .name = "linear",
    .summary = "y = x·weightᵀ + bias; x (rows, in), weight (out, in), bias (out) → y (rows, out)",
    .op_class = OpClass::MatrixProduct,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .product = product,
};

}  // namespace siliconprof
