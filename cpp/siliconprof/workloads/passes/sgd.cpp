#include "siliconprof/workloads/passes/sgd.h"

#include "siliconprof/workloads/passes/update_parameters.h"

namespace siliconprof {

Trace sgd(const Trace& trace, const SgdOptions& o) {
  return update_parameters(trace, "sgd",
                           {o.learning_rate, o.momentum, o.weight_decay, double(o.nesterov)},
                           {"velocity"}, o.fused);
}

}  // namespace siliconprof
