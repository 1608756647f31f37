#include "siliconprof/workloads/passes/update_parameters.h"

#include <algorithm>
#include <utility>

#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/builder.h"

namespace siliconprof {

Trace update_parameters(const Trace& trace, std::string_view op, std::vector<double> attributes,
                        const std::vector<std::string>& states, bool fused) {
  Trace made = trace;
  made.begin_section("optimizer");
  std::vector<TensorId> results = trace.results();
  bool first = true;
  for (const auto& [parameter, gradient] : trace.gradients()) {
    std::erase(results, gradient);
    const TensorInfo info = made.tensors()[std::size_t(parameter)];
    const std::int64_t n = info.shape.elements();
    OpCall call = make_call(find_op(op), {{n}}, info.dtype, attributes);
    call.phase = Phase::Optimizer;
    call.joins_launch = fused && !std::exchange(first, false);
    call.inputs[0] = shaped(made, parameter, {n});
    call.inputs[1] = shaped(made, gradient, {n});
    call.outputs[0] = call.inputs[0];
    for (std::size_t s = 0; s < states.size(); ++s) {
      const TensorId state = made.add_tensor({.name = info.name + "." + states[s],
                                              .shape = {n},
                                              .dtype = statistics_dtype(info.dtype),
                                              .role = Role::OptimizerState,
                                              .initial = Initial{Initial::Kind::Constant, 0.0}});
      call.inputs[2 + s] = call.outputs[1 + s] = state;
    }
    made.append(call);
  }
  made.set_results(std::move(results));
  return made;
}

}  // namespace siliconprof
