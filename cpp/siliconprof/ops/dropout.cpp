#include "siliconprof/ops/dropout.h"

#include <array>

#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 2> kAttributes{{{"rate", 0.1, kProbability}, {"seed", 0.0}}};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape}, {shape}};
}

// One product each; the generator's integers are no flops.
Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  return {.vector_flops = n, .bytes_read = n * size, .bytes_written = n * size};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [rate, seed] = first<2>(call.attributes);
  return {emit_gradient(trace, kDropout, {call.dims[0]}, call.dtype, {rate, seed}, {cotangents[0]},
                        "dx")};
}

}  // namespace

constinit const Op kDropout{
    .name = "dropout",
    .summary = "y = x/(1 - rate) where (seed, element) keeps it, else 0; length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
    .updatable_outputs = 1,
};

}  // namespace siliconprof
