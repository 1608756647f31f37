#include "siliconprof/ops/cast.h"

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 1> kDims{"n"};

template <Dtype to>
Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape}, {{shape, to}}};
}

template <Dtype to>
Cost cost(const OpCall& call) {
  const std::int64_t n = call.dims[0];
  return {.bytes_read = n * size_bytes(call.dtype), .bytes_written = n * size_bytes(to)};
}

const Op& cast_to(Dtype dtype) {
  switch (dtype) {
    case Dtype::Float64:
      return kCastFloat64;
    case Dtype::Float32:
      return kCastFloat32;
    case Dtype::Float16:
      return kCastFloat16;
    case Dtype::BFloat16:
      return kCastBfloat16;
    case Dtype::Tf32:
    case Dtype::Int32:
      break;
  }
  throw DtypeError("[cast] dtype is " + std::string(name(dtype)) +
                   "; needed for a gradient: float64, float32, float16 or bfloat16");
}

// A kernel that reads a parameter in another dtype writes its gradient in the parameter's.
template <Dtype to>
std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const Role role = trace.tensors()[std::size_t(trace.owner(call.inputs[0]))].role;
  OpCall back = make_call(cast_to(call.dtype), std::array{call.dims[0]}, to, {});
  back.phase = Phase::Backward;
  back.joins_launch = call.joins_launch && role == Role::Parameter;
  back.inputs[0] = cotangents[0];
  back.outputs[0] = trace.add_tensor({"dx", Shape{call.dims[0]}, call.dtype, Role::Gradient});
  trace.append(back);
  return {back.outputs[0]};
}

template <Dtype to>
constexpr Op cast(std::string_view name, std::string_view summary) {
  return {
      .name = name,
      .summary = summary,
      .op_class = OpClass::Elementwise,
      .dim_names = kDims,
      .attributes = {},
      .signature = signature<to>,
      .cost = cost<to>,
      .vjp = vjp<to>,
  };
}

}  // namespace

constinit const Op kCastFloat64 =
    cast<Dtype::Float64>("cast_float64", "y = x in float64; length n");
constinit const Op kCastFloat32 =
    cast<Dtype::Float32>("cast_float32", "y = x in float32; length n");
constinit const Op kCastFloat16 =
    cast<Dtype::Float16>("cast_float16", "y = x in float16; length n");
constinit const Op kCastBfloat16 =
    cast<Dtype::BFloat16>("cast_bfloat16", "y = x in bfloat16; length n");

}  // namespace siliconprof
