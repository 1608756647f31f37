#include "siliconprof/workloads/passes/tf32.h"

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {

Trace tf32(const Trace& trace) {
  TraceCopy copy(trace);
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    OpCall call = trace.calls()[i];
    const OpClass kind = call.op->op_class;
    const bool product = kind == OpClass::MatrixProduct || kind == OpClass::MatrixVector ||
                         kind == OpClass::Convolution || kind == OpClass::Attention;
    if (product && call.dtype == Dtype::Float32) call.dtype = Dtype::Tf32;
    copy.enter_section_of(i);
    copy.append(call);
  }
  return copy.finish();
}

}  // namespace siliconprof
