#include "siliconprof/ops/argmax.h"

#include <array>

#include "siliconprof/ops/indexable.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"outer", "size", "inner"};

Signature signature(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  check_indexable(call, 1, 1);
  return {{Shape{outer, size, inner}}, {indices({outer, inner}, size)}};
}

Cost cost(const OpCall& call) {
  const auto [outer, size, inner] = first<3>(call.dims);
  return {.vector_flops = outer * (size - 1) * inner,
          .bytes_read = outer * size * inner * size_bytes(call.dtype),
          .bytes_written = outer * inner * size_bytes(Dtype::Int32)};
}

}  // namespace

constinit const Op kArgmax{
    .name = "argmax",
    .summary =
        "y = index of the first largest x along an axis; x (outer, size, inner) → y int32 "
        "(outer, inner)",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
