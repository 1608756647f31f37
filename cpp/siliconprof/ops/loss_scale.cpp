#include "siliconprof/ops/loss_scale.h"

#include <array>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 3> kAttributes{{{"growth_factor", 2.0, kPositive},
                                                    {"backoff_factor", 0.5, kPositive},
                                                    {"growth_interval", 2000.0, kCount}}};

Signature unscale_signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  const Slot one = statistics(call, Shape{1});
  return {{shape, one, one}, {shape, one}};
}

// Of each element: difference from itself and comparison, which tell whether it is finite, and
// product. Of all together: the scale's reciprocal.
Cost unscale_cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t one = size_bytes(statistics_dtype(call.dtype));
  return {
      .vector_flops = 3 * n + 1, .bytes_read = n * size + 2 * one, .bytes_written = n * size + one};
}

Signature update_signature(const OpCall& call) {
  const Slot one = statistics(call, Shape{1});
  return {{one, one, one}, {one, one}};
}

// Two products, a sum, a difference and three comparisons: every choice is made.
Cost update_cost(const OpCall& call) {
  const std::int64_t one = size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = 7, .bytes_read = 3 * one, .bytes_written = 2 * one};
}

}  // namespace

constinit const Op kUnscale{
    .name = "unscale",
    .summary = "g' = g/scale; found' = 1 if any g is not finite, else found; g length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = {},
    .signature = unscale_signature,
    .cost = unscale_cost,
    .vjp = nullptr,
    .updatable_outputs = 2,
};

constinit const Op kUpdateScale{
    .name = "update_scale",
    .summary = "scale·backoff where found, scale·growth after growth_interval steps; all length 1",
    .op_class = OpClass::Elementwise,
    .dim_names = {},
    .attributes = kAttributes,
    .signature = update_signature,
    .cost = update_cost,
    .vjp = nullptr,
    .updatable_outputs = 2,
};

}  // namespace siliconprof
