#include "siliconprof/ops/concat.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/slice.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kDims{"outer", "first", "second", "inner"};

Signature signature(const OpCall& call) {
  const auto [outer, first, second, inner] = siliconprof::first<4>(call.dims);
  return {{Shape{outer, first, inner}, Shape{outer, second, inner}},
          {Shape{outer, first + second, inner}}};
}

Cost cost(const OpCall& call) {
  const auto [outer, first, second, inner] = siliconprof::first<4>(call.dims);
  const std::int64_t bytes = outer * (first + second) * inner * size_bytes(call.dtype);
  return {.bytes_read = bytes, .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [outer, first, second, inner] = siliconprof::first<4>(call.dims);
  const std::int64_t size = first + second;
  return {emit_gradient(trace, kSlice, {outer, size, first, inner}, call.dtype, {0.0},
                        {cotangents[0]}, "da"),
          emit_gradient(trace, kSlice, {outer, size, second, inner}, call.dtype, {double(first)},
                        {cotangents[0]}, "db")};
}

}  // namespace

constinit const Op kConcat{
    .name = "concat",
    .summary =
        "y = a, then b along an axis; a (outer, first, inner), b (outer, second, inner) → "
        "y (outer, first + second, inner)",
    .op_class = OpClass::Rearrangement,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
