#include "siliconprof/ops/normalise.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"rows", "n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"epsilon", 1e-12, kNotNegative}}};

Signature signature(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}}, {Shape{rows, n}, statistics(call, {rows})}};
}

Signature backward_signature(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, statistics(call, {rows}), Shape{rows, n}}, {Shape{rows, n}}};
}

// Of each element: square, sum, quotient. Of a row that has any: root, the larger of it and
// epsilon.
Cost cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t bytes = rows * n * size_bytes(call.dtype);
  return {.vector_flops = n > 0 ? rows * (3 * n + 2) : 0,
          .bytes_read = bytes,
          .bytes_written = bytes + rows * size_bytes(statistics_dtype(call.dtype))};
}

Cost backward_cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t bytes = rows * n * size_bytes(call.dtype);
  return {.vector_flops = rows * (5 * n + 2),
          .bytes_read = 2 * bytes + rows * size_bytes(statistics_dtype(call.dtype)),
          .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, n] = first<2>(call.dims);
  const std::vector<TensorId> kept = kept_outputs(trace, call);
  return {emit_gradient(trace, kNormaliseBackward, {rows, n}, call.dtype, {call.attributes[0]},
                        {kept[0], kept[1], cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kNormalise{
    .name = "normalise",
    .summary = "y = x/max(norm, epsilon), norm = √Σ x² of the row; x, y (rows, n), norm (rows)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kNormaliseBackward{
    .name = "normalise_backward",
    .summary =
        "dx = (dy - y·Σ y·dy)/norm, dy/epsilon where norm ≤ epsilon; y, dy, dx (rows, n), norm "
        "(rows)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
