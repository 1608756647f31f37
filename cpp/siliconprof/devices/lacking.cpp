#include "siliconprof/devices/lacking.h"

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

void check(const Framework& framework, const std::string& what) {
  const auto found = framework.lacks.find(what);
  if (found == framework.lacks.end()) return;
  throw DtypeError("[predict] " + framework.id + " has no " + what + ": " + found->second +
                   "; needed: a version that has it, or a step without it");
}

void check_call(const Framework& framework, const OpCall& call, bool alone) {
  check(framework, std::string(name(call.dtype)));
  if (alone) return;
  if (call.phase == Phase::Transfer) check(framework, "offload");
  if (call.op->name == "cast_float16") check(framework, "amp-fp16");
  if (call.op->name == "cast_bfloat16") check(framework, "amp-bf16");
}

}  // namespace

void check_lacking(const Framework& framework, const Trace& trace) {
  if (framework.lacks.empty()) return;
  for (const OpCall& call : trace.calls()) check_call(framework, call, trace.calls().size() == 1);
}

void check_lacking(const Framework& framework, const StepSummary& step) {
  if (framework.lacks.empty()) return;
  for (const CallKind& kind : step.kinds) check_call(framework, kind.call, step.order.size() == 1);
}

}  // namespace siliconprof
