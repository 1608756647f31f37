#include "siliconprof/kernels/cpu/workspaces.h"

#include <algorithm>
#include <array>
#include <optional>

#include "siliconprof/core/huge_pages.h"
#include "siliconprof/kernels/cpu/attention.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/kernels/cpu/channel_statistics.h"
#include "siliconprof/kernels/cpu/convolution.h"
#include "siliconprof/kernels/cpu/convolution_halves.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/linear.h"
#include "siliconprof/kernels/cpu/matmul.h"

namespace siliconprof::cpu {
namespace {

bool is_convolution(const OpCall& call) { return call.op->op_class == OpClass::Convolution; }

/// Of what goes by matrix tiles or dot products of 16-bit numbers.
std::optional<HalfScratch> tiles_scratch(const OpCall& call, int threads) {
  if (is_convolution(call)) {
    if (!halves_suit_convolution(call)) return std::nullopt;
    return convolution_half_scratch(call, *half_machine(), threads);
  }
  if (call.op->name == "matmul") return matmul_half_scratch(call, threads);
  if (call.op->name == "linear") return linear_half_scratch(call, threads);
  return std::nullopt;
}

/// True where the call may be made in float32 or float64, whatever its own format: float16 that is
/// no number goes by float32 all the same. Convolutions whose weights aren't, in bfloat16, do so,
/// too, and aren't counted.
bool may_take_floats(const OpCall& call, int threads) {
  if (call.dtype != Dtype::BFloat16) return true;
  return is_convolution(call) ? !halves_suit_convolution(call) : !tiles_scratch(call, threads);
}

bool may_widen(const OpCall& call, int threads) {
  return size_bytes(call.dtype) == 2 && may_take_floats(call, threads);
}

ScratchBytes floats_scratch_bytes(const OpCall& call, int threads) {
  if (is_convolution(call)) return {convolution_bytes(call, threads).shared, 0};
  return call.op->name == "linear" ? linear_panels_bytes(call, threads)
                                   : matmul_panels_bytes(call, threads);
}

ScratchBytes product_scratch_bytes(const OpCall& call, int threads) {
  ScratchBytes bytes;
  if (may_take_floats(call, threads)) bytes = floats_scratch_bytes(call, threads);
  if (const std::optional<HalfScratch> tiles = tiles_scratch(call, threads)) {
    bytes = larger_of(bytes, tiles->panels);
  }
  return bytes;
}

ScratchBytes scratch_bytes(const OpCall& call, int threads) {
  const std::string_view op = call.op->name;
  if (op == "linear" || op == "matmul" || is_convolution(call)) {
    return product_scratch_bytes(call, threads);
  }
  if (op.starts_with("attention")) return {attention_sums_bytes(call, threads), 0};
  if (op.starts_with("batch_norm")) {
    return {statistics_bytes({call.dims[0], call.dims[1], call.dims[2]}, call.dtype), 0};
  }
  return {};
}

/// Blocks that kernels keep: a thread's is as large as the call needs that needs most.
struct Kept {
  ScratchBytes scratch;
  std::int64_t attention_loops = 0;
  std::int64_t winograd_blocks = 0;
  std::int64_t copies = 0;

  void add(const OpCall& call, int threads) {
    scratch = larger_of(scratch, scratch_bytes(call, threads));
    const std::string_view op = call.op->name;
    if (op.starts_with("attention")) {
      attention_loops = std::max(attention_loops, attention_loops_bytes(call, threads));
    }
    if (is_convolution(call) && may_take_floats(call, threads)) {
      winograd_blocks = std::max(winograd_blocks, convolution_bytes(call, threads).blocks);
    }
    if (op != "matmul" || !may_take_floats(call, threads)) return;
    copies = std::max(copies, copied_operand_bytes(call, threads));
  }
};

using WideBytes = std::array<std::int64_t, kMostFloatOperands + 1>;

/// What operands and results in two bytes take as float32, and sums of tiles: each the most that it
/// takes in a call.
WideBytes wide_bytes(const Trace& trace, int threads) {
  WideBytes bytes{};
  const auto note = [&bytes](std::size_t place, std::int64_t elements) {
    bytes[place] = std::max(bytes[place], elements * std::int64_t(sizeof(float)));
  };
  for (const OpCall& call : trace.calls()) {
    const std::string_view op = call.op->name;
    if (const std::optional<HalfScratch> tiles = tiles_scratch(call, threads)) {
      bytes[kMostFloatOperands] = std::max(bytes[kMostFloatOperands], tiles->sums_bytes);
    }
    if (!may_widen(call, threads)) continue;
    if (op == "matmul") {
      note(0, call.dims[1] * call.dims[2]);
      note(1, call.dims[2] * call.dims[3]);
      note(kMostFloatOperands, most_rows_at_once(call, threads) * call.dims[3]);
    } else if (op == "linear" || is_convolution(call)) {
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
                                                    kept.winograd_blocks +
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
  add_end(kept.winograd_blocks);
  std::vector<Workspace> found{scratch, copies, wide, ends};
  std::erase_if(found, [](const Workspace& each) { return each.bytes == 0; });
  return found;
}

}  // namespace siliconprof::cpu
