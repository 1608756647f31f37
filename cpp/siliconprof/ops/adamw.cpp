#include "siliconprof/ops/adamw.h"

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 6> kAttributes{{{"learning_rate", 1e-3},
                                                    {"beta1", 0.9},
                                                    {"beta2", 0.999},
                                                    {"epsilon", 1e-8},
                                                    {"weight_decay", 0.01},
                                                    {"step", 1.0}}};

// From step 1 and below 1 the corrections 1 - beta^step are positive.
void check_attributes(const OpCall& call) {
  const double step = call.attributes[5];
  if (step < 1.0) {
    throw ArgumentError("[adamw] step is " + std::to_string(step) + "; needed: at least 1");
  }
  for (const std::size_t i : {1, 2}) {
    const double beta = call.attributes[i];
    if (beta >= 0.0 && beta < 1.0) continue;
    throw ArgumentError("[adamw] " + std::string(kAttributes[i].name) + " is " +
                        std::to_string(beta) + "; needed: at least 0 and below 1");
  }
}

Signature signature(const OpCall& call) {
  check_attributes(call);
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
