#include "siliconprof/ops/slice.h"

#include <array>
#include <cmath>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kDims{"outer", "size", "length", "inner"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"begin", 0.0}}};

void check_part(const OpCall& call) {
  const std::string place = "[" + std::string(call.op->name) + "] ";
  const std::int64_t size = call.dims[1];
  const std::int64_t length = call.dims[2];
  const double begin = call.attributes[0];
  if (length > size) {
    throw ShapeError(place + "length is " + std::to_string(length) +
                     "; needed: at most size, which is " + std::to_string(size));
  }
  if (begin < 0.0 || begin > double(size - length) || begin != std::floor(begin)) {
    throw ArgumentError(place + "attribute begin is " + number_text(begin) +
                        "; needed: an integer from 0 to " + std::to_string(size - length));
  }
}

Shape whole(const OpCall& call) { return {call.dims[0], call.dims[1], call.dims[3]}; }
Shape part(const OpCall& call) { return {call.dims[0], call.dims[2], call.dims[3]}; }

Signature signature(const OpCall& call) {
  check_part(call);
  return {{whole(call)}, {part(call)}};
}

Cost cost(const OpCall& call) {
  const std::int64_t bytes = part(call).elements() * size_bytes(call.dtype);
  return {.bytes_read = bytes, .bytes_written = bytes};
}

Signature backward_signature(const OpCall& call) {
  check_part(call);
  return {{part(call)}, {whole(call)}};
}

Cost backward_cost(const OpCall& call) {
  return {.bytes_read = part(call).elements() * size_bytes(call.dtype),
          .bytes_written = whole(call).elements() * size_bytes(call.dtype)};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, size, length, inner] = first<4>(call.dims);
  return {emit_gradient(trace, kSliceBackward, {outer, size, length, inner}, call.dtype,
                        {call.attributes[0]}, {cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kSlice{
    .name = "slice",
    .summary =
        "y = x from begin on along an axis; x (outer, size, inner) → y (outer, length, "
        "inner)",
    .op_class = OpClass::Rearrangement,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kSliceBackward{
    .name = "slice_backward",
    .summary =
        "dx = dy from begin on along an axis, else 0; dy (outer, length, inner) → dx "
        "(outer, size, inner)",
    .op_class = OpClass::Rearrangement,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
