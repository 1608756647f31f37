#include "siliconprof/kernels/cpu/workspaces.h"

#include <algorithm>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/channel_statistics.h"
#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/convolution_weights.h"
#include "siliconprof/kernels/cpu/linear.h"
#include "siliconprof/kernels/cpu/matmul.h"

namespace siliconprof::cpu {
namespace {

std::int64_t sums_bytes(const OpCall& call) {
  const Poll none;
  const KernelCall k{call, {}, {}, 1, none};
  const Convolution c = convolution_of(call);
  return call.dtype == Dtype::Float64 ? weight_sums_bytes<double>(k, c)
                                      : weight_sums_bytes<float>(k, c);
}

/// What a call takes of kernel_scratch().
std::int64_t scratch_bytes(const OpCall& call, int threads) {
  const std::string_view op = call.op->name;
  if (op == "linear") return linear_panels_bytes(call, threads);
  if (op == "matmul") return matmul_panels_bytes(call, threads);
  if (op.starts_with("batch_norm")) {
    return statistics_bytes({call.dims[0], call.dims[1], call.dims[2]}, call.dtype);
  }
  if (!op.starts_with("conv")) return 0;
  return op.ends_with("_weight_backward") ? sums_bytes(call) : weight_panels_bytes(call);
}

}  // namespace

std::vector<Workspace> workspaces(const Trace& trace, int threads) {
  Workspace scratch{"scratch of kernels", 0};
  Workspace copies{"operands that OpenBLAS copies", 0};
  for (const OpCall& call : trace.calls()) {
    scratch.bytes = std::max(scratch.bytes, scratch_bytes(call, threads));
    if (call.op->name == "matmul") {
      copies.bytes = std::max(copies.bytes, copied_operand_bytes(call, threads));
    }
  }
  const auto [shared, throughout] = block_bytes(trace);
  Workspace ends{"ends of huge pages", 0};
  for (const std::int64_t bytes : {shared, throughout, scratch.bytes}) {
    ends.bytes += on_huge_pages(bytes) - bytes;
  }
  std::vector<Workspace> found{scratch, copies, ends};
  std::erase_if(found, [](const Workspace& each) { return each.bytes == 0; });
  return found;
}

}  // namespace siliconprof::cpu
