#include "siliconprof/ops/fill.h"

#include <array>

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"value", 0.0}}};

Signature signature(const OpCall& call) { return {{}, {Shape{call.dims[0]}}}; }

Cost cost(const OpCall& call) { return {.bytes_written = call.dims[0] * size_bytes(call.dtype)}; }

}  // namespace

constinit const Op kFill{
    .name = "fill",
    .summary = "y = value; length n",
    .op_class = OpClass::Elementwise,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
