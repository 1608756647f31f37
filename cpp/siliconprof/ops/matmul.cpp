#include "siliconprof/ops/matmul.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kDims{"batch", "m", "k", "n"};
constexpr std::array<AttributeInfo, 2> kAttributes{{{"transpose_a", 0.0}, {"transpose_b", 0.0}}};

Signature signature(const OpCall& call) {
  const auto [batch, m, k, n] = first<4>(call.dims);
  const Shape a = is_set(call.attributes[0]) ? Shape{batch, k, m} : Shape{batch, m, k};
  const Shape b = is_set(call.attributes[1]) ? Shape{batch, n, k} : Shape{batch, k, n};
  return {{a, b}, {Shape{batch, m, n}}};
}

Cost cost(const OpCall& call) {
  const auto [batch, m, k, n] = first<4>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  return {.matrix_flops = 2 * batch * m * k * n,
          .bytes_read = batch * (m * k + k * n) * size,
          .bytes_written = batch * m * n * size};
}

ProductShape product(const OpCall& call) {
  const auto [batch, m, k, n] = first<4>(call.dims);
  const bool ta = is_set(call.attributes[0]);
  const bool tb = is_set(call.attributes[1]);
  return {batch, m, k, n, ta ? m : k, tb ? k : n, n, !ta && tb};
}

// C = op(A)·op(B). dA and dB are products too; a stored transpose swaps the factors.
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [batch, m, k, n] = first<4>(call.dims);
  const bool ta = is_set(call.attributes[0]);
  const bool tb = is_set(call.attributes[1]);
  const TensorId a = call.inputs[0];
  const TensorId b = call.inputs[1];
  const TensorId dc = cotangents[0];
  const Dtype dtype = call.dtype;
  const TensorId da =
      ta ? emit_gradient(trace, kMatmul, {batch, k, n, m}, dtype, {double(tb), 1.0}, {b, dc}, "dA")
         : emit_gradient(trace, kMatmul, {batch, m, n, k}, dtype, {0.0, double(!tb)}, {dc, b},
                         "dA");
  const TensorId db =
      tb ? emit_gradient(trace, kMatmul, {batch, n, m, k}, dtype, {1.0, double(ta)}, {dc, a}, "dB")
         : emit_gradient(trace, kMatmul, {batch, k, m, n}, dtype, {double(!ta), 0.0}, {a, dc},
                         "dB");
  return {da, db};
}

}  // namespace

constinit const Op kMatmul{
    .name = "matmul",
    .summary = "C = A·B; A (batch, m, k), B (batch, k, n) → C (batch, m, n)",
    .op_class = OpClass::MatrixProduct,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .product = product,
};

}  // namespace siliconprof
