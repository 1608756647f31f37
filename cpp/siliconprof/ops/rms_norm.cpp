#include "siliconprof/ops/rms_norm.h"

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
  return {{Shape{rows, n}, Shape{n}}, {Shape{rows, n}, statistics(call, {rows})}};
}

Signature backward_signature(const OpCall& call) {
  check_positive(call, 1);
  const auto [rows, n] = first<2>(call.dims);
  return {{Shape{rows, n}, Shape{n}, statistics(call, {rows}), Shape{rows, n}},
          {Shape{rows, n}, Shape{n}}};
}

// Of each element: square, sum, two products. Of a row: mean, epsilon, root, reciprocal.
Cost cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t weights = rows > 0 ? n : 0;  // of no row, none is read
  const std::int64_t kept = rows * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = rows * (4 * n + 4),
          .bytes_read = (rows * n + weights) * size,
          .bytes_written = rows * n * size + kept};
}

Cost backward_cost(const OpCall& call) {
  const auto [rows, n] = first<2>(call.dims);
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t weights = rows > 0 ? n : 0;
  const std::int64_t kept = rows * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = rows * (9 * n + 1),
          .bytes_read = (2 * rows * n + weights) * size + kept,
          .bytes_written = (rows * n + n) * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, n] = first<2>(call.dims);
  const TensorId rrms = kept_outputs(trace, call)[1];
  return emit_gradients(trace, kRmsNormBackward, {rows, n}, call.dtype, {},
                        {call.inputs[0], call.inputs[1], rrms, cotangents[0]}, {"dx", "dweight"});
}

}  // namespace

constinit const Op kRmsNorm{
    .name = "rms_norm",
    .summary =
        "y = x·rrms·weight, rrms = 1/√(mean of x² + epsilon) of the row; x, y (rows, n), weight "
        "(n), rrms (rows)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kRmsNormBackward{
    .name = "rms_norm_backward",
    .summary = "gradients of rms_norm; x, dy, dx (rows, n), weight, dweight (n), rrms (rows)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
