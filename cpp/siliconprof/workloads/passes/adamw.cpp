#include "siliconprof/workloads/passes/adamw.h"

#include "siliconprof/workloads/passes/update_parameters.h"

namespace siliconprof {

Trace adamw(const Trace& trace, const AdamwOptions& o) {
  return update_parameters(trace, "adamw",
                           {o.learning_rate, o.beta1, o.beta2, o.epsilon, o.weight_decay, o.step},
                           {"m", "v"}, o.fused);
}

}  // namespace siliconprof
