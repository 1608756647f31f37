#include "siliconprof/ops/sort.h"

#include <array>
#include <bit>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/indexable.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"outer", "size", "inner"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"descending", 0.0}}};

Shape shape(const OpCall& call) { return {call.dims[0], call.dims[1], call.dims[2]}; }

Slot order(const OpCall& call) {
  check_indexable(call, 1, 0);
  return indices(shape(call), call.dims[1]);
}

Signature signature(const OpCall& call) { return {{shape(call)}, {shape(call), order(call)}}; }

Signature backward_signature(const OpCall& call) {
  return {{order(call), shape(call)}, {shape(call)}};
}

// C(n) = C(⌈n/2⌉) + C(⌊n/2⌋) + n - 1, in closed form.
std::int64_t comparisons(std::int64_t n) {
  if (n < 2) return 0;
  const int levels = std::bit_width(std::uint64_t(n - 1));
  return n * levels - (std::int64_t{1} << levels) + 1;
}

Cost cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::int64_t n = outer * size * inner;
  const std::int64_t bytes = n * size_bytes(call.dtype);
  return {.vector_flops = outer * inner * comparisons(size),
          .bytes_read = bytes,
          .bytes_written = bytes + n * size_bytes(Dtype::Int32)};
}

Cost backward_cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::int64_t n = outer * size * inner;
  const std::int64_t bytes = n * size_bytes(call.dtype);
  return {.bytes_read = bytes + n * size_bytes(Dtype::Int32), .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, size, inner] = first<3>(call.dims);
  const std::vector<TensorId> sorted = kept_outputs(trace, call);
  return {emit_gradient(trace, kSortBackward, {outer, size, inner}, call.dtype, {},
                        {sorted[1], cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kSort{
    .name = "sort",
    .summary =
        "values of x in stable order along an axis and where each stood; x, values, order "
        "int32 (outer, size, inner)",
    .op_class = OpClass::Sort,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kSortBackward{
    .name = "sort_backward",
    .summary =
        "dx = dy put back to where each value stood; order int32, dy, dx (outer, size, "
        "inner)",
    .op_class = OpClass::Sort,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
