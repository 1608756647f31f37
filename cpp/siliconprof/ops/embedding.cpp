#include "siliconprof/ops/embedding.h"

#include <algorithm>
#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/indexable.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"v", "n", "c"};

Signature signature(const OpCall& call) {
  const auto [v, n, c] = first<3>(call.dims);
  check_indexable(call, 0, n);
  return {{Shape{v, c}, indices({n}, v)}, {Shape{n, c}}};
}

Cost cost(const OpCall& call) {
  const auto [v, n, c] = first<3>(call.dims);
  const std::int64_t row_bytes = c * size_bytes(call.dtype);
  return {.bytes_read = std::min(v, n) * row_bytes + n * size_bytes(Dtype::Int32),
          .bytes_written = n * row_bytes};
}

Signature backward_signature(const OpCall& call) {
  const auto [v, n, c] = first<3>(call.dims);
  check_indexable(call, 0, n);
  return {{indices({n}, v), Shape{n, c}}, {Shape{v, c}}};
}

Cost backward_cost(const OpCall& call) {
  const auto [v, n, c] = first<3>(call.dims);
  const std::int64_t row_bytes = c * size_bytes(call.dtype);
  return {.vector_flops = n * c,
          .bytes_read = n * row_bytes + n * size_bytes(Dtype::Int32),
          .bytes_written = v * row_bytes};
}

Signature backward_add_signature(const OpCall& call) {
  Signature signature = backward_signature(call);
  signature.inputs.insert(signature.inputs.begin(), signature.outputs[0]);
  return signature;
}

// Of a sum of its own. In place at most n rows are touched, which a call's sizes don't tell.
Cost backward_add_cost(const OpCall& call) {
  const auto [v, n, c] = first<3>(call.dims);
  const std::int64_t row_bytes = c * size_bytes(call.dtype);
  return {.vector_flops = n * c,
          .bytes_read = (n + v) * row_bytes + n * size_bytes(Dtype::Int32),
          .bytes_written = v * row_bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [v, n, c] = first<3>(call.dims);
  return {emit_gradient(trace, kEmbeddingBackward, {v, n, c}, call.dtype, {},
                        {call.inputs[1], cotangents[0]}, "dtable"),
          kNoTensor};
}

}  // namespace

constinit const Op kEmbedding{
    .name = "embedding",
    .summary = "y = rows of a table by token; table (v, c), index int32 (n) → y (n, c)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kEmbeddingBackward{
    .name = "embedding_backward",
    .summary =
        "dtable = Σ of the rows of dy with an index; index int32 (n), dy (n, c) → dtable "
        "(v, c)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

constinit const Op kEmbeddingBackwardAdd{
    .name = "embedding_backward_add",
    .summary =
        "y = sum + Σ of the rows of dy with an index; sum (v, c), index int32 (n), dy (n, c) → y "
        "(v, c)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_add_signature,
    .cost = backward_add_cost,
    .vjp = nullptr,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
