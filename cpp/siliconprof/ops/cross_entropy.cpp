#include "siliconprof/ops/cross_entropy.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/positive_size.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDims{"rows", "v"};

Signature signature(const OpCall& call) {
  check_positive(call, 1);
  const auto [rows, v] = first<2>(call.dims);
  return {{Shape{rows, v}, indices({rows}, v)}, {statistics(call, {1}), statistics(call, {rows})}};
}

Signature backward_signature(const OpCall& call) {
  check_positive(call, 1);
  const auto [rows, v] = first<2>(call.dims);
  return {{Shape{rows, v}, indices({rows}, v), statistics(call, {rows}), statistics(call, {1})},
          {Shape{rows, v}}};
}

std::int64_t index_bytes(std::int64_t rows) { return rows * size_bytes(Dtype::Int32); }

// Of each element: comparison (one less in a row), difference, exponential, sum. Of a row: log, the
// largest added, the target's taken off, sum. And the mean.
Cost cost(const OpCall& call) {
  const auto [rows, v] = first<2>(call.dims);
  return {.vector_flops = rows * (4 * v + 3) + (rows > 0 ? 1 : 0),
          .bytes_read = rows * v * size_bytes(call.dtype) + index_bytes(rows),
          .bytes_written = (rows + 1) * size_bytes(statistics_dtype(call.dtype))};
}

// Of each element: difference, exponential, product. Of a row: what the target takes off.
Cost backward_cost(const OpCall& call) {
  const auto [rows, v] = first<2>(call.dims);
  const std::int64_t bytes = rows * v * size_bytes(call.dtype);
  const std::int64_t kept = (rows + 1) * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = rows * (3 * v + 1) + 1,
          .bytes_read = bytes + index_bytes(rows) + kept,
          .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, v] = first<2>(call.dims);
  const TensorId lse = kept_outputs(trace, call)[1];
  const TensorId dlogits =
      emit_gradient(trace, kCrossEntropyBackward, {rows, v}, call.dtype, {},
                    {call.inputs[0], call.inputs[1], lse, cotangents[0]}, "dlogits", call.narrow);
  return {dlogits, kNoTensor};
}

}  // namespace

constinit const Op kCrossEntropy{
    .name = "cross_entropy",
    .summary =
        "loss = mean of lse - logit[target], lse = log Σ exp(logit) of the row; logits (rows, v), "
        "target, lse (rows), loss length 1",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kCrossEntropyBackward{
    .name = "cross_entropy_backward",
    .summary =
        "dlogits = dloss/rows·(exp(logit - lse) - [the target]); logits, dlogits (rows, v), "
        "target, lse (rows), dloss length 1",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
