#include "siliconprof/kernels/cpu/workspaces.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/channel_statistics.h"
#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/convolution_weights.h"
#include "siliconprof/kernels/cpu/float_operands.h"
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

using WideBytes = std::array<std::int64_t, kMostFloatOperands + 1>;

/// What operands and results in two bytes take as float32: each the most that it takes in a call.
WideBytes wide_bytes(const Trace& trace, int threads) {
  WideBytes bytes{};
  const auto note = [&bytes](std::size_t place, std::int64_t elements) {
    bytes[place] = std::max(bytes[place], elements * std::int64_t(sizeof(float)));
  };
  for (const OpCall& call : trace.calls()) {
    const std::string_view op = call.op->name;
    if (size_bytes(call.dtype) != 2) continue;
    if (op == "matmul") {
      note(0, call.dims[1] * call.dims[2]);
      note(1, call.dims[2] * call.dims[3]);
      note(kMostFloatOperands, most_rows_at_once(call, threads) * call.dims[3]);
    } else if (op == "linear" || op.starts_with("conv")) {
      const Signature sizes = call.op->signature(call);
      for (std::size_t i = 0; i < sizes.inputs.size(); ++i) {
        note(i, sizes.inputs[i].shape.elements());
      }
      note(kMostFloatOperands, sizes.outputs[0].shape.elements());
    }
  }
  return bytes;
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
  Workspace wide{"operands in float32", 0};
  Workspace ends{"ends of huge pages", 0};
  const auto add_end = [&ends](std::int64_t bytes) { ends.bytes += on_huge_pages(bytes) - bytes; };
  for (const std::int64_t bytes : wide_bytes(trace, threads)) {
    wide.bytes += bytes;
    add_end(bytes);
  }
  for (const std::int64_t bytes : block_bytes(trace)) add_end(bytes);
  add_end(scratch.bytes);
  std::vector<Workspace> found{scratch, copies, wide, ends};
  std::erase_if(found, [](const Workspace& each) { return each.bytes == 0; });
  return found;
}

}  // namespace siliconprof::cpu
