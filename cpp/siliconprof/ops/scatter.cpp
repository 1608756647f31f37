#include "siliconprof/ops/scatter.h"

#include <algorithm>
#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/gather.h"
#include "siliconprof/ops/indexable.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"rows", "count", "columns"};

/// The slots and sizes that all of them are made of.
struct Sizes {
  std::int64_t rows;
  std::int64_t count;
  std::int64_t columns;
  std::int64_t updated;  // rows at most
  std::int64_t row_bytes;
  std::int64_t index_bytes;

  explicit Sizes(const OpCall& call)
      : rows(call.dims[0]),
        count(call.dims[1]),
        columns(call.dims[2]),
        updated(std::min(rows, count)),
        row_bytes(columns * size_bytes(call.dtype)),
        index_bytes(count * size_bytes(Dtype::Int32)) {}

  Slot table() const { return Shape{rows, columns}; }
  Slot updates() const { return Shape{count, columns}; }
  Slot index() const { return indices({count}, rows); }
};

Sizes checked(const OpCall& call) {
  check_indexable(call, 0, call.dims[1]);
  return Sizes(call);
}

Signature scatter_signature(const OpCall& call) {
  const Sizes s = checked(call);
  return {{s.table(), s.index(), s.updates()}, {s.table()}};
}

// A row is read where it comes from: x, or its last update.
Cost scatter_cost(const OpCall& call) {
  const Sizes s(call);
  return {.bytes_read = s.rows * s.row_bytes + s.index_bytes,
          .bytes_written = s.rows * s.row_bytes};
}

std::vector<TensorId> scatter_vjp(Trace& trace, const OpCall& call,
                                  std::span<const TensorId> cotangents) {
  const auto [rows, count, columns] = first<3>(call.dims);
  const auto gradients = emit_gradients(trace, kScatterBackward, {rows, count, columns}, call.dtype,
                                        {}, {call.inputs[1], cotangents[0]}, {"dx", "dupdates"});
  return {gradients[0], kNoTensor, gradients[1]};
}

Signature scatter_backward_signature(const OpCall& call) {
  const Sizes s = checked(call);
  return {{s.index(), s.table()}, {s.table(), s.updates()}};
}

Cost scatter_backward_cost(const OpCall& call) {
  const Sizes s(call);
  return {.bytes_read = s.rows * s.row_bytes + s.index_bytes,
          .bytes_written = (s.rows + s.count) * s.row_bytes};
}

Signature reduction_signature(const OpCall& call) {
  const Sizes s = checked(call);
  return {{s.updates(), s.index()}, {s.table()}};
}

Cost sum_cost(const OpCall& call) {
  const Sizes s(call);
  return {.vector_flops = s.count * s.columns,
          .bytes_read = s.count * s.row_bytes + s.index_bytes,
          .bytes_written = s.rows * s.row_bytes};
}

std::vector<TensorId> sum_vjp(Trace& trace, const OpCall& call,
                              std::span<const TensorId> cotangents) {
  const auto [rows, count, columns] = first<3>(call.dims);
  return {emit_gradient(trace, kGather, {rows, count, columns}, call.dtype, {},
                        {cotangents[0], call.inputs[1]}, "dupdates"),
          kNoTensor};
}

// The first update of a row is compared with none.
Cost max_cost(const OpCall& call) {
  const Sizes s(call);
  return {.vector_flops = (s.count - s.updated) * s.columns,
          .bytes_read = s.count * s.row_bytes + s.index_bytes,
          .bytes_written = s.rows * s.row_bytes};
}

std::vector<TensorId> max_vjp(Trace& trace, const OpCall& call,
                              std::span<const TensorId> cotangents) {
  const auto [rows, count, columns] = first<3>(call.dims);
  const TensorId y = kept_output(trace, call);
  return {emit_gradient(trace, kScatterMaxBackward, {rows, count, columns}, call.dtype, {},
                        {call.inputs[0], call.inputs[1], y, cotangents[0]}, "dupdates"),
          kNoTensor};
}

Signature max_backward_signature(const OpCall& call) {
  const Sizes s = checked(call);
  return {{s.updates(), s.index(), s.table(), s.table()}, {s.updates()}};
}

Cost max_backward_cost(const OpCall& call) {
  const Sizes s(call);
  return {.vector_flops = s.count * s.columns,
          .bytes_read = (s.count + 2 * s.updated) * s.row_bytes + s.index_bytes,
          .bytes_written = s.count * s.row_bytes};
}

}  // namespace

constinit const Op kScatter{
    .name = "scatter",
    .summary =
        "y = x with rows replaced by updates, the last one wins; x, y (rows, columns), "
        "index int32 (count), updates (count, columns)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = scatter_signature,
    .cost = scatter_cost,
    .vjp = scatter_vjp,
    .updatable_outputs = 1,
};

constinit const Op kScatterBackward{
    .name = "scatter_backward",
    .summary =
        "dx = dy but 0 in updated rows, dupdates = dy for each row's last update, else 0; "
        "index int32 (count), dy, dx (rows, columns), dupdates (count, columns)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = scatter_backward_signature,
    .cost = scatter_backward_cost,
    .vjp = nullptr,
};

constinit const Op kScatterSum{
    .name = "scatter_sum",
    .summary =
        "y = Σ of the updates of each row; updates (count, columns), index int32 (count) → "
        "y (rows, columns)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = reduction_signature,
    .cost = sum_cost,
    .vjp = sum_vjp,
};

constinit const Op kScatterMax{
    .name = "scatter_max",
    .summary =
        "y = largest of the updates of each row, 0 for none; updates (count, columns), "
        "index int32 (count) → y (rows, columns)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = reduction_signature,
    .cost = max_cost,
    .vjp = max_vjp,
};

constinit const Op kScatterMaxBackward{
    .name = "scatter_max_backward",
    .summary =
        "dupdates = dy for the first update that equals y, else 0; updates, dupdates "
        "(count, columns), index int32 (count), y, dy (rows, columns)",
    .op_class = OpClass::Indexed,
    .dim_names = kDims,
    .attributes = {},
    .signature = max_backward_signature,
    .cost = max_backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
