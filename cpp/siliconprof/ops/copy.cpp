#include "siliconprof/ops/copy.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"pageable", 0.0}}};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape}, {shape}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.bytes_read = n * size, .bytes_written = n * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const std::int64_t n = call.dims[0];
  return {emit_gradient(trace, kCopy, {n}, call.dtype, {}, {cotangents[0]}, "da")};
}

}  // namespace

constinit const Op kCopy{
    .name = "copy",
    .summary =
        "b = a; length n; pageable: between a device and memory of its host that may be paged",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
