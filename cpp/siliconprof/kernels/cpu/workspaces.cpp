#include "siliconprof/kernels/cpu/workspaces.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/kernels/cpu/attention.h"
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

ScratchBytes scratch_bytes(const OpCall& call, int threads) {
  const std::string_view op = call.op->name;
  if (op == "linear") return linear_panels_bytes(call, threads);
  if (op == "matmul") return matmul_panels_bytes(call, threads);
  if (op.starts_with("attention")) return {attention_sums_bytes(call, threads), 0};
  if (op.starts_with("batch_norm")) {
    return {statistics_bytes({call.dims[0], call.dims[1], call.dims[2]}, call.dtype), 0};
  }
  if (!op.starts_with("conv")) return {};
  return {op.ends_with("_weight_backward") ? sums_bytes(call) : weight_panels_bytes(call), 0};
}

/// Blocks that kernels keep: a thread's is as large as the call needs that needs most.
struct Kept {
  ScratchBytes scratch;
  std::int64_t attention_loops = 0;
  std::int64_t copies = 0;

  void add(const OpCall& call, int threads) {
    const ScratchBytes bytes = scratch_bytes(call, threads);
    scratch.caller = std::max(scratch.caller, bytes.caller);
    scratch.other = std::max(scratch.other, bytes.other);
    const std::string_view op = call.op->name;
    if (op.starts_with("attention")) {
      attention_loops = std::max(attention_loops, attention_loops_bytes(call, threads));
    }
    if (op == "matmul") copies = std::max(copies, copied_operand_bytes(call, threads));
  }
};

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
  Kept kept;
  for (const OpCall& call : trace.calls()) kept.add(call, threads);
  const Workspace scratch{"scratch of kernels", kept.scratch.caller + kept.attention_loops +
                                                    (threads - 1) * kept.scratch.other};
  const Workspace copies{"operands that OpenBLAS copies", kept.copies};
  Workspace wide{"operands in float32", 0};
  Workspace ends{"ends of huge pages", 0};
  const auto add_end = [&ends](std::int64_t bytes) { ends.bytes += on_huge_pages(bytes) - bytes; };
  for (const std::int64_t bytes : wide_bytes(trace, threads)) {
    wide.bytes += bytes;
    add_end(bytes);
  }
  for (const std::int64_t bytes : block_bytes(trace)) add_end(bytes);
  add_end(kept.scratch.caller);
  add_end(kept.attention_loops);
  std::vector<Workspace> found{scratch, copies, wide, ends};
  std::erase_if(found, [](const Workspace& each) { return each.bytes == 0; });
  return found;
}

}  // namespace siliconprof::cpu
