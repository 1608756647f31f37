#include "siliconprof/ops/gather.h"

#include <algorithm>
#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/indexable.h"
#include "siliconprof/ops/scatter.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"rows", "count", "columns"};

Signature signature(const OpCall& call) {
  const auto [rows, count, columns] = first<3>(call.dims);
  check_indexable(call, 0, count);
  return {{Shape{rows, columns}, indices({count}, rows)}, {Shape{count, columns}}};
}

Cost cost(const OpCall& call) {
  const auto [rows, count, columns] = first<3>(call.dims);
  const std::int64_t row_bytes = columns * size_bytes(call.dtype);
  return {.bytes_read = std::min(rows, count) * row_bytes + count * size_bytes(Dtype::Int32),
          .bytes_written = count * row_bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rows, count, columns] = first<3>(call.dims);
  return {emit_gradient(trace, kScatterSum, {rows, count, columns}, call.dtype, {},
                        {cotangents[0], call.inputs[1]}, "dx"),
          kNoTensor};
}

}  // namespace

constinit const Op kGather{
    .name = "gather",
    .summary =
        "y = rows of x by index; x (rows, columns), index int32 (count) → y (count, "
        "columns)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
