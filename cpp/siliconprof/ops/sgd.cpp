#include "siliconprof/ops/sgd.h"

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 4> kAttributes{{{"learning_rate", 0.1, kNotNegative},
                                                    {"momentum", 0.9, kNotNegative},
                                                    {"weight_decay", 0.0, kNotNegative},
                                                    {"nesterov", 0.0}}};

Signature signature(const OpCall& call) {
  if (is_set(call.attributes[3]) && call.attributes[1] == 0) {
    throw ArgumentError("[sgd] nesterov with momentum = 0; needed: a momentum above 0");
  }
  const Shape shape{call.dims[0]};
  const Slot velocity = statistics(call, shape);
  return {{shape, shape, velocity}, {shape, velocity}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t velocity = size_bytes(statistics_dtype(call.dtype));
  const std::int64_t decayed = is_set(call.attributes[2]) ? 2 : 0;
  const std::int64_t ahead = is_set(call.attributes[3]) ? 2 : 0;
  return {.vector_flops = (4 + decayed + ahead) * n,
          .bytes_read = n * (2 * size + velocity),
          .bytes_written = n * (size + velocity)};
}

}  // namespace

constinit const Op kSgd{
    .name = "sgd",
    .summary = "v' = momentum·v + g + decay·p, p' = p - rate·v'; all length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = nullptr,
    .updatable_outputs = 2,
};

}  // namespace siliconprof
