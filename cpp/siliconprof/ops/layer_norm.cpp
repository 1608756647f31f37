#include "siliconprof/ops/layer_norm.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/positive_size.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"rows", "n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"epsilon", 1e-5, kNotNegative}}};

Signature signature(const OpCall& call) {
  check_positive(call, 1);
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, Shape{n}, Shape{n}},
          {Shape{rows, n}, statistics(call, {rows}), statistics(call, {rows})}};
}

Signature backward_signature(const OpCall& call) {
  check_positive(call, 1);
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, Shape{n}, statistics(call, {rows}), statistics(call, {rows}),
           Shape{rows, n}},
          {Shape{rows, n}, Shape{n}, Shape{n}}};
}

// Of each element: sum, deviation, its square and their sum, two products and the bias. Of a row:
// two means, epsilon, root, reciprocal.
Cost cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t parameters = rows > 0 ? 2 * n : 0;  // of no row, none is read
  const std::int64_t kept = 2 * rows * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = rows * (7 * n + 5),
          .bytes_read = (rows * n + parameters) * size,
          .bytes_written = rows * n * size + kept};
}

Cost backward_cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t parameters = rows > 0 ? n : 0;
  const std::int64_t kept = 2 * rows * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = rows * (13 * n + 2),
          .bytes_read = (2 * rows * n + parameters) * size + kept,
          .bytes_written = (rows * n + 2 * n) * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, n] = first<2>(call.dims);
  const std::vector<TensorId> kept = kept_outputs(trace, call);
  return emit_gradients(trace, kLayerNormBackward, {rows, n}, call.dtype, {},
                        {call.inputs[0], call.inputs[1], kept[1], kept[2], cotangents[0]},
                        {"dx", "dweight", "dbias"});
}

}  // namespace

constinit const Op kLayerNorm{
    .name = "layer_norm",
    .summary =
        "y = (x - mean)·rstd·weight + bias, rstd = 1/√(variance + epsilon) of the row; x, y (rows, "
        "n), weight, bias (n), mean, rstd (rows)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kLayerNormBackward{
    .name = "layer_norm_backward",
    .summary =
        "gradients of layer_norm; x, dy, dx (rows, n), weight, dweight, dbias (n), mean, rstd "
        "(rows)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
