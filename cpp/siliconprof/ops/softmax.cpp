#include "siliconprof/ops/softmax.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"outer", "size", "inner"};

Shape shape(const OpCall& call) { return {call.dims[0], call.dims[1], call.dims[2]}; }

Signature signature(const OpCall& call) { return {{shape(call)}, {shape(call)}}; }

Signature backward_signature(const OpCall& call) {
  return {{shape(call), shape(call)}, {shape(call)}};
}

// Of each term: comparison (one less in a row), difference, exponential, sum, quotient.
Cost cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::int64_t bytes = outer * size * inner * size_bytes(call.dtype);
  return {.vector_flops = size > 0 ? outer * inner * (5 * size - 1) : 0,
          .bytes_read = bytes,
          .bytes_written = bytes};
}

Cost backward_cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::int64_t bytes = outer * size * inner * size_bytes(call.dtype);
  return {
      .vector_flops = 4 * outer * size * inner, .bytes_read = 2 * bytes, .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const TensorId y = kept_output(trace, call);
  return {emit_gradient(trace, kSoftmaxBackward, {outer, size, inner}, call.dtype, {},
                        {y, cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kSoftmax{
    .name = "softmax",
    .summary = "y = exp(x) / Σ exp(x) along an axis; x, y (outer, size, inner)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kSoftmaxBackward{
    .name = "softmax_backward",
    .summary = "dx = y·(dy - Σ y·dy) along an axis; y, dy, dx (outer, size, inner)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
