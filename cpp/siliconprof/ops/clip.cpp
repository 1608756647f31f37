#include "siliconprof/ops/clip.h"

#include <array>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 1> kMaxNorm{{{"max_norm", 1.0, kNotNegative}}};

Signature sum_signature(const OpCall& call) {
  const Slot total = statistics(call, Shape{1});
  return {{Shape{call.dims[0]}, total}, {total}};
}

Cost sum_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t total = size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = 2 * n,
          .bytes_read = n * size_bytes(call.dtype) + total,
          .bytes_written = total};
}

Signature clip_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape, statistics(call, Shape{1})}, {shape}};
}

// The factor takes a root, a sum, a quotient and a comparison.
Cost clip_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = n + 4,
          .bytes_read = n * size + size_bytes(statistics_dtype(call.dtype)),
          .bytes_written = n * size};
}

}  // namespace

constinit const Op kSquareSum{
    .name = "square_sum",
    .summary = "total' = total + Σ x²; x length n, total length 1",
    .op_class = OpClass::Reduction,
    .dim_names = kDims,
    .attributes = {},
    .signature = sum_signature,
    .cost = sum_cost,
    .vjp = nullptr,
    .updatable_outputs = 1,
};

constinit const Op kClip{
    .name = "clip",
    .summary = "g' = g·min(1, max_norm/(√total + 1e-6)); g length n, total length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kMaxNorm,
    .signature = clip_signature,
    .cost = clip_cost,
    .vjp = nullptr,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
