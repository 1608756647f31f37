#include "siliconprof/ops/adamw.h"

#include <array>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 6> kAttributes{{{"learning_rate", 1e-3, kNotNegative},
                                                    {"beta1", 0.9, kBelowOne},
                                                    {"beta2", 0.999, kBelowOne},
                                                    {"epsilon", 1e-8, kNotNegative},
                                                    {"weight_decay", 0.01, kNotNegative},
                                                    // The corrections 1 - beta^step are positive.
                                                    {"step", 1.0, kCount}}};
Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  const Slot moment = statistics(call, shape);
  return {{shape, shape, moment, moment}, {shape, moment, moment}};
}

Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  const std::int64_t size = size_bytes(call.dtype);
  const std::int64_t moment = size_bytes(statistics_dtype(call.dtype));
  return {.vector_flops = 14 * n,
          .bytes_read = n * (2 * size + 2 * moment),
          .bytes_written = n * (size + 2 * moment)};
}

}  // namespace

constinit const Op kAdamW{
    .name = "adamw",
    .summary = "p' = (1 - rate·decay)·p - rate·m'/(√v' + ε), moments m', v'; all length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = nullptr,
    .updatable_outputs = 3,
};

}  // namespace siliconprof
