#include "siliconprof/workloads/passes/loss_scaling.h"

#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {

Trace with_loss_scale(const Trace& forward) {
  Trace made = forward;
  const Dtype dtype = made.tensors().at(std::size_t(made.results().at(0))).dtype;
  const auto state = [&](const char* name, double value) {
    made.add_tensor({.name = name,
                     .shape = {1},
                     .dtype = dtype,
                     .role = Role::OptimizerState,
                     .initial = Initial{Initial::Kind::Constant, value}});
  };
  state("loss_scale", kFirstLossScale);
  state("growth_tracker", 0.0);
  state("found_inf", 0.0);
  return made;
}

Trace unscale(const Trace& trace, bool fused) {
  Trace made = trace;
  made.begin_section("unscale");
  const TensorId scale = find_tensor(made, "loss_scale");
  const TensorId found = find_tensor(made, "found_inf");
  const Dtype dtype = made.tensors()[std::size_t(scale)].dtype;
  append_update(made, "fill", {1}, dtype, Phase::Optimizer, {0.0}, {}, {found});
  bool joins = false;
  for (const auto& [parameter, gradient] : trace.gradients()) {
    const TensorInfo info = made.tensors()[std::size_t(gradient)];
    append_update(made, "unscale", {info.shape.elements()}, info.dtype, Phase::Optimizer, {},
                  {gradient, scale, found}, {gradient, found}, joins);
    joins = fused;
  }
  return made;
}

Trace update_loss_scale(const Trace& trace) {
  Trace made = trace;
  made.begin_section("loss_scale");
  const TensorId scale = find_tensor(made, "loss_scale");
  const TensorId tracker = find_tensor(made, "growth_tracker");
  const TensorId found = find_tensor(made, "found_inf");
  append_update(made, "update_scale", {}, made.tensors()[std::size_t(scale)].dtype,
                Phase::Optimizer, {}, {scale, tracker, found}, {scale, tracker});
  return made;
}

TensorId find_tensor(const Trace& trace, std::string_view name) {
  for (std::size_t id = 0; id < trace.tensors().size(); ++id) {
    if (trace.tensors()[id].name == name && !trace.tensors()[id].is_view()) return TensorId(id);
  }
  throw ArgumentError("[trace] no tensor '" + std::string(name) + "' in '" + trace.label() +
                      "'; needed: a trace with loss scaling");
}

}  // namespace siliconprof
