#include "siliconprof/devices/dropout_masks.h"

#include <map>

namespace siliconprof {

std::vector<Request> dropout_masks(const Trace& trace, bool of_bytes) {
  std::vector<Request> found;
  std::map<double, std::int32_t> made;  // by seed, the call that drew its numbers last
  for (std::int32_t i = 0; i < std::int32_t(trace.calls().size()); ++i) {
    const OpCall& call = trace.calls()[std::size_t(i)];
    if (call.op->name != "dropout") continue;
    const TensorInfo& output = trace.tensors()[std::size_t(call.outputs[0])];
    // What checkpointing computes again is no gradient: the mask that it makes replaces the first.
    if (call.phase == Phase::Forward || output.role != Role::Gradient) {
      made[call.attributes[1]] = i;
    } else if (const auto mask = made.find(call.attributes[1]); mask != made.end()) {
      const auto divisor = of_bytes ? std::int32_t(size_bytes(output.dtype)) : 1;
      found.push_back(
          {.number = call.outputs[0], .first = mask->second, .last = i, .divisor = divisor});
    }
  }
  return found;
}

}  // namespace siliconprof
