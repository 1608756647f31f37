#include "siliconprof/ops/batch_norm.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/positive_size.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"outer", "channels", "inner"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"epsilon", 1e-5, kNotNegative}}};

struct Shapes {
  Shape data;
  Shape parameter;
  Slot kept;

  explicit Shapes(const OpCall& call)
      : data{call.dims[0], call.dims[1], call.dims[2]},
        parameter{call.dims[1]},
        kept(statistics(call, {call.dims[1]})) {
    check_positive(call, 0);
    check_positive(call, 2);
  }
};

Signature signature(const OpCall& call) {
  const Shapes s(call);
  return {{s.data, s.parameter, s.parameter}, {s.data, s.kept, s.kept}};
}

Signature backward_signature(const OpCall& call) {
  const Shapes s(call);
  return {{s.data, s.parameter, s.kept, s.kept, s.data}, {s.data, s.parameter, s.parameter}};
}

// Of each element: sum, deviation, its square and their sum, the product with rstd·weight, bias. Of
// a channel: two means, epsilon, root, reciprocal, rstd·weight.
Cost cost(const OpCall& call) {
  const auto [outer, channels, inner] = first<3>(call.dims);
  const std::int64_t n = outer * inner;
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t kept = 2 * channels * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = channels * (6 * n + 6),
          .bytes_read = channels * (n + 2) * size,
          .bytes_written = channels * n * size + kept};
}

Cost backward_cost(const OpCall& call) {
  const auto [outer, channels, inner] = first<3>(call.dims);
  const std::int64_t n = outer * inner;
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t kept = 2 * channels * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = channels * (9 * n + 3),
          .bytes_read = channels * (2 * n + 1) * size + kept,
          .bytes_written = channels * (n + 2) * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, channels, inner] = first<3>(call.dims);
  const std::vector<TensorId> kept = kept_outputs(trace, call);
  return emit_gradients(trace, kBatchNormBackward, {outer, channels, inner}, call.dtype, {},
                        {call.inputs[0], call.inputs[1], kept[1], kept[2], cotangents[0]},
                        {"dx", "dweight", "dbias"});
}

}  // namespace

constinit const Op kBatchNorm{
    .name = "batch_norm",
    .summary =
        "y = (x - mean)·rstd·weight + bias over each channel, in training; x, y (outer, channels, "
        "inner), weight, bias, mean, rstd (channels)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kBatchNormBackward{
    .name = "batch_norm_backward",
    .summary =
        "gradients of batch_norm; x, dy, dx (outer, channels, inner), weight, mean, rstd, dweight, "
        "dbias (channels)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
