#include "siliconprof/kernels/cpu/workspaces.h"

#include <algorithm>

#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/convolution_weights.h"

namespace siliconprof::cpu {
namespace {

std::int64_t sums_bytes(const OpCall& call) {
  const Poll none;
  const KernelCall k{call, {}, {}, 1, none};
  const Convolution c = convolution_of(call);
  return call.dtype == Dtype::Float64 ? weight_sums_bytes<double>(k, c)
                                      : weight_sums_bytes<float>(k, c);
}

}  // namespace

std::vector<Workspace> workspaces(const Trace& trace) {
  Workspace panels{"convolution weights in panels", 0};
  Workspace sums{"partial sums of convolution weights", 0};
  for (const OpCall& call : trace.calls()) {
    const std::string_view op = call.op->name;
    if (!op.starts_with("conv")) continue;
    if (op.ends_with("_weight_backward")) {
      sums.bytes = std::max(sums.bytes, sums_bytes(call));
    } else {
      panels.bytes = std::max(panels.bytes, weight_panels_bytes(call));
    }
  }
  std::vector<Workspace> found{panels, sums};
  std::erase_if(found, [](const Workspace& each) { return each.bytes == 0; });
  return found;
}

}  // namespace siliconprof::cpu
