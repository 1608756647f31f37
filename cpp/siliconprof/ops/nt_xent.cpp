#include "siliconprof/ops/nt_xent.h"

#include <array>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"rows"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"temperature", 0.5, kPositive}}};

// Their square, times the flops of an element, is still a number.
constexpr std::int64_t kMostRows = std::int64_t{1} << 28;

std::int64_t checked_rows(const OpCall& call) {
  const std::int64_t rows = call.dims[0];
  if (rows % 2 == 0 && rows <= kMostRows) return rows;
  throw ShapeError("[" + std::string(call.op->name) + "] rows is " + std::to_string(rows) +
                   "; needed: an even number, at most " + std::to_string(kMostRows));
}

Signature signature(const OpCall& call) {
  const std::int64_t rows = checked_rows(call);
  return {{Shape{rows, rows}}, {statistics(call, {1}), statistics(call, {rows})}};
}

Signature backward_signature(const OpCall& call) {
  const std::int64_t rows = checked_rows(call);
  return {{Shape{rows, rows}, statistics(call, {rows}), statistics(call, {1})},
          {Shape{rows, rows}}};
}

// Of each element off the diagonal: quotient, comparison (one less in a row), difference,
// exponential, sum. Of a row: log, the largest added, the positive's taken off, sum. And the mean.
Cost cost(const OpCall& call) {
  const std::int64_t rows = call.dims[0];
  const std::int64_t others = rows > 0 ? rows - 1 : 0;
  return {.vector_flops = rows * (5 * others + 3) + (rows > 0 ? 1 : 0),
          .bytes_read = rows * others * size_bytes(call.dtype),
          .bytes_written = (rows + 1) * size_bytes(statistics_dtype(call.dtype))};
}

// Of each element off the diagonal: quotient, difference, exponential, product. Of a row: what the
// positive takes off.
Cost backward_cost(const OpCall& call) {
  const std::int64_t rows = call.dims[0];
  const std::int64_t others = rows > 0 ? rows - 1 : 0;
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t kept = (rows + 1) * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = rows * (4 * others + 1) + 1,
          .bytes_read = rows * others * size + kept,
          .bytes_written = rows * rows * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const TensorId lse = kept_outputs(trace, call)[1];
  return {emit_gradient(trace, kNtXentBackward, {call.dims[0]}, call.dtype, {call.attributes[0]},
                        {call.inputs[0], lse, cotangents[0]}, "dsimilarity")};
}

}  // namespace

constinit const Op kNtXent{
    .name = "nt_xent",
    .summary =
        "loss = mean of lse - z[(r + N) mod 2N], z = similarity/temperature, lse = log Σ exp(z) "
        "off the diagonal; similarity (rows, rows), rows = 2N, lse (rows), loss length 1",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kNtXentBackward{
    .name = "nt_xent_backward",
    .summary =
        "gradient of nt_xent; similarity, dsimilarity (rows, rows), lse (rows), dloss length 1",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
