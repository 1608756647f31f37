#include "siliconprof/workloads/passes/clip.h"

#include <string>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {

Trace clip(const Trace& trace, double max_norm, bool fused_sums, bool fused) {
  if (!(max_norm > 0.0)) {
    throw ArgumentError("[clip] clip is " + number_text(max_norm) + "; needed: more than 0, as 1");
  }
  Trace made = trace;
  if (trace.gradients().empty()) return made;
  made.begin_section("clip");
  const auto info = [&](TensorId id) { return made.tensors()[std::size_t(id)]; };
  const Dtype sum_dtype = statistics_dtype(info(trace.gradients()[0].gradient).dtype);
  const TensorId total = append_call(made, "fill", {1}, sum_dtype, Phase::Optimizer, {0.0}, {},
                                     "square_sum", Role::Temporary);
  bool joins = false;
  for (const auto& [parameter, gradient] : trace.gradients()) {
    append_update(made, "square_sum", {info(gradient).shape.elements()}, info(gradient).dtype,
                  Phase::Optimizer, {}, {gradient, total}, {total}, joins);
    joins = fused_sums;
  }
  joins = false;
  for (const auto& [parameter, gradient] : trace.gradients()) {
    append_update(made, "clip", {info(gradient).shape.elements()}, info(gradient).dtype,
                  Phase::Optimizer, {max_norm}, {gradient, total}, {gradient}, joins);
    joins = fused;
  }
  return made;
}

}  // namespace siliconprof
