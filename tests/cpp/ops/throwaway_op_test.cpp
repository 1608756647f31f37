// An operation written the way CONTRIBUTING tells a newcomer: a row of facts and pure functions. It
// shows that a new op needs nothing but its own pair of files (and its line in the table).

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "siliconprof/devices/model_backend.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

extern const Op kNegate;

constexpr std::array<std::string_view, 1> kDims{"n"};

Signature signature(const OpCall& call) {
  const Shape shape{call.dims[0]};
  return {{shape}, {shape}};
}

Cost cost(const OpCall& call) {
  const std::int64_t bytes = call.dims[0] * size_bytes(call.dtype);
  return {.vector_flops = call.dims[0], .bytes_read = bytes, .bytes_written = bytes};
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  return {emit_gradient(trace, kNegate, {call.dims[0]}, call.dtype, {}, {cotangents[0]}, "da")};
}

const Op kNegate{.name = "negate",
                 .summary = "b = -a; length n",
                 .op_class = OpClass::Elementwise,
                 .dim_names = kDims,
                 .attributes = {},
                 .signature = signature,
                 .cost = cost,
                 .vjp = vjp};

Number number(double value) { return {value, NumberKind::Assumed, "test", 0.0}; }

TEST(ThrowawayOp, IsTracedDifferentiatedAndPredicted) {
  Trace trace("negate");
  OpCall call = make_call(kNegate, std::vector<std::int64_t>{1000}, Dtype::Float32, {});
  call.inputs[0] = trace.add_tensor({"a", {1000}, Dtype::Float32, Role::Input});
  call.outputs[0] = trace.add_tensor({"b", {1000}, Dtype::Float32, Role::Activation});
  trace.append(call);
  const std::array<TensorId, 1> cotangents{call.outputs[0]};
  kNegate.vjp(trace, call, cotangents);

  const Numbers machine{{"memory.bandwidth_bytes_per_s", number(1e9)},
                        {"peak.vector.float32_flops_per_s", number(1e12)}};
  Numbers reached{{"launch.dispatch_s", number(1e-6)}};
  for (int i = 0; i < kOpClassCount; ++i) {
    const std::string stem = "efficiency.any." + std::string(name(static_cast<OpClass>(i)));
    reached[stem + ".compute.any"] = number(1.0);
    reached[stem + ".bandwidth"] = number(1.0);
  }
  const Model model({"d", "D", "cpu", "cpu", machine}, {"f", "F", {"cpu"}, reached});
  // Twice: launch 1 us, and 8000 bytes at 1 GB/s.
  EXPECT_NEAR(model.predict(trace).time_s(), 2 * (1e-6 + 8e-6), 1e-12);
}

}  // namespace
}  // namespace siliconprof
