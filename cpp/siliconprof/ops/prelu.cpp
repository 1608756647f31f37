#include "siliconprof/ops/prelu.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, Shape{1}}, {shape}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 2 * n, .bytes_read = (n + 1) * size, .bytes_written = n * size};
}

Signature backward_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, Shape{1}, shape}, {shape}};
}

Cost backward_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 2 * n, .bytes_read = (2 * n + 1) * size, .bytes_written = n * size};
}

Signature weight_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, shape}, {Shape{1}}};
}

Cost weight_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 3 * n, .bytes_read = 2 * n * size, .bytes_written = size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const std::int64_t n = call.dims[0];
  const auto [x, w] = first<2>(call.inputs);
  const TensorId dy = cotangents[0];
  return {emit_gradient(trace, kPreluBackward, {n}, call.dtype, {}, {x, w, dy}, "dx"),
          emit_gradient(trace, kPreluWeightBackward, {n}, call.dtype, {}, {x, dy}, "dw")};
}

}  // namespace

constinit const Op kPrelu{
    .name = "prelu",
    .summary = "y = x where x > 0, else w·x; x length n, w length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kPreluBackward{
    .name = "prelu_backward",
    .summary = "dx = dy where x > 0, else w·dy; x, dy length n, w length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

constinit const Op kPreluWeightBackward{
    .name = "prelu_weight_backward",
    .summary = "dw = sum of x·dy where x ≤ 0; x, dy length n, dw length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = weight_signature,
    .cost = weight_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
