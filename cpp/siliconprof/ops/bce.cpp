#include "siliconprof/ops/bce.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, shape}, {Shape{1}}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 10 * n + 1, .bytes_read = 2 * n * size, .bytes_written = size};
}

Signature backward_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, shape, Shape{1}}, {shape}};
}

Cost backward_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 6 * n + 1, .bytes_read = (2 * n + 1) * size, .bytes_written = n * size};
}

Signature target_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, Shape{1}}, {shape}};
}

Cost target_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 7 * n + 1, .bytes_read = (n + 1) * size, .bytes_written = n * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const std::int64_t n = call.dims[0];
  const auto [p, t] = first<2>(call.inputs);
  const TensorId dl = cotangents[0];
  return {emit_gradient(trace, kBceBackward, {n}, call.dtype, {}, {p, t, dl}, "dp"),
          emit_gradient(trace, kBceTargetBackward, {n}, call.dtype, {}, {p, dl}, "dt")};
}

}  // namespace

constinit const Op kBce{
    .name = "bce",
    .summary =
        "l = mean of -(t·log p + (1 - t)·log(1 - p)), logs ≥ -100; p, t length n, l length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kBceBackward{
    .name = "bce_backward",
    .summary = "dp = dl/n·(p - t)/max(p·(1 - p), 1e-12); p, t length n, dl length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

constinit const Op kBceTargetBackward{
    .name = "bce_target_backward",
    .summary = "dt = dl/n·(log(1 - p) - log p), logs ≥ -100; p length n, dl length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = target_signature,
    .cost = target_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
