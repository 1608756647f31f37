#include "siliconprof/ops/group_norm.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/positive_size.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kDims{"batch", "groups", "channels", "inner"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"epsilon", 1e-5, kNotNegative}}};

struct Shapes {
  Shape data;
  Shape parameter;
  Slot kept;

  explicit Shapes(const OpCall& call)
      : data{call.dims[0], call.dims[1], call.dims[2], call.dims[3]},
        parameter{call.dims[1], call.dims[2]},
        kept(statistics(call, {call.dims[0], call.dims[1]})) {
    check_positive(call, 2);
    check_positive(call, 3);
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

// As layer_norm's, a row for each group.
Cost cost(const OpCall& call) {
  const auto [batch, groups, channels, inner] = first<4>(call.dims);
  const std::int64_t n = channels * inner;
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t parameters = batch > 0 ? 2 * groups * channels : 0;
  const std::int64_t kept = 2 * batch * groups * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = batch * groups * (7 * n + 5),
          .bytes_read = (batch * groups * n + parameters) * size,
          .bytes_written = batch * groups * n * size + kept};
}

Cost backward_cost(const OpCall& call) {
  const auto [batch, groups, channels, inner] = first<4>(call.dims);
  const std::int64_t n = channels * inner;
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t parameters = batch > 0 ? groups * channels : 0;
  const std::int64_t kept = 2 * batch * groups * size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = batch * groups * (13 * n + 2),
          .bytes_read = (2 * batch * groups * n + parameters) * size + kept,
          .bytes_written = (batch * groups * n + 2 * groups * channels) * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [batch, groups, channels, inner] = first<4>(call.dims);
  const std::vector<TensorId> kept = kept_outputs(trace, call);
  return emit_gradients(trace, kGroupNormBackward, {batch, groups, channels, inner}, call.dtype, {},
                        {call.inputs[0], call.inputs[1], kept[1], kept[2], cotangents[0]},
                        {"dx", "dweight", "dbias"});
}

}  // namespace

constinit const Op kGroupNorm{
    .name = "group_norm",
    .summary =
        "y = (x - mean)·rstd·weight + bias over each group; x, y (batch, groups, channels, inner), "
        "weight, bias (groups, channels), mean, rstd (batch, groups)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kGroupNormBackward{
    .name = "group_norm_backward",
    .summary =
        "gradients of group_norm; x, dy, dx (batch, groups, channels, inner), weight, dweight, "
        "dbias (groups, channels), mean, rstd (batch, groups)",
    .op_class = OpClass::RowNormalisation,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
