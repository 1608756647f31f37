// The definitions of all ops on the operands of tests, for every test to link.

#include "siliconprof/kernels/reference/definitions.h"

#include "../cpu/engine_agreement.h"
#include "cost_proof.h"

namespace siliconprof {

bool reference::define(const OpCall& call, CountingOperands& operands) {
  return define<CountingOperands>(call, operands);
}

bool cpu::define(const OpCall& call, ValueOperands& operands) {
  return reference::define<ValueOperands>(call, operands);
}

}  // namespace siliconprof
