#include "siliconprof/ops/rotary.h"

#include <array>
#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kDims{"batch", "tokens", "heads", "head_dim"};
constexpr std::array<AttributeInfo, 2> kAttributes{
    {{"base", 10000.0, kAtLeastOne}, {"inverse", 0.0}}};

Signature signature(const OpCall& call) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  if (head_dim % 2 != 0) {
    throw ShapeError("[rotary] head_dim is " + std::to_string(head_dim) +
                     "; needed: an even number");
  }
  const Shape shape{batch, tokens, heads, head_dim};
  return {{shape}, {shape}};
}

// A turn of two numbers: four products and two sums.
Cost cost(const OpCall& call) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  const std::int64_t n = batch * tokens * heads * head_dim;
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = 3 * n, .bytes_read = n * size, .bytes_written = n * size};
}

// A turn's transpose is the turn back.
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  const double inverse = is_set(call.attributes[1]) ? 0.0 : 1.0;
  return {emit_gradient(trace, kRotary, {batch, tokens, heads, head_dim}, call.dtype,
                        {call.attributes[0], inverse}, {cotangents[0]}, "dx")};
}

}  // namespace

constinit const Op kRotary{
    .name = "rotary",
    .summary =
        "pairs of channels turned by the token's angles; x, y (batch, tokens, heads, "
        "head_dim)",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

}  // namespace siliconprof
