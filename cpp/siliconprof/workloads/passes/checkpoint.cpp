#include "siliconprof/workloads/passes/checkpoint.h"

#include <algorithm>
#include <map>
#include <string>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

constexpr std::int32_t kNone = -1;

/// The blocks of the forward pass and their inner tensors: made in a block, and read by no forward
/// call outside of it.
struct Blocks {
  std::vector<std::vector<std::size_t>> calls;  // of each block
  std::vector<std::int32_t> of_call;
  std::vector<std::int32_t> of_tensor;  // the block that an owner is an inner tensor of

  explicit Blocks(const Trace& trace)
      : of_call(trace.calls().size(), kNone), of_tensor(trace.tensors().size(), kNone) {
    find_calls(trace);
    leave_out_what_others_read(trace);
  }

  std::int32_t of(const Trace& trace, TensorId id) const {
    return id == kNoTensor ? kNone : of_tensor[std::size_t(trace.owner(id))];
  }

 private:
  void find_calls(const Trace& trace) {
    const std::vector<std::int32_t> sections = trace.section_of_calls();
    std::map<std::string, std::int32_t, std::less<>> numbers;
    for (std::size_t i = 0; i < of_call.size(); ++i) {
      const OpCall& call = trace.calls()[i];
      if (call.phase != Phase::Forward || sections[i] < 0) continue;
      const std::string block(trace.sections()[std::size_t(sections[i])].block());
      if (block.empty()) continue;
      const auto [entry, is_new] = numbers.try_emplace(block, std::int32_t(numbers.size()));
      if (is_new) calls.emplace_back();
      of_call[i] = entry->second;
      calls[std::size_t(entry->second)].push_back(i);
      for (const TensorId id : call.outputs) {
        if (id != kNoTensor) of_tensor[std::size_t(trace.owner(id))] = entry->second;
      }
    }
  }

  void leave_out_what_others_read(const Trace& trace) {
    for (std::size_t i = 0; i < of_call.size(); ++i) {
      if (trace.calls()[i].phase != Phase::Forward) continue;
      for (const TensorId id : trace.calls()[i].inputs) {
        if (id == kNoTensor) continue;
        std::int32_t& block = of_tensor[std::size_t(trace.owner(id))];
        if (block != of_call[i]) block = kNone;
      }
    }
    for (const TensorId id : trace.results()) of_tensor[std::size_t(trace.owner(id))] = kNone;
  }
};

class Checkpoint {
 public:
  Checkpoint(const Trace& trace, bool keeps_masks)
      : trace_(trace), copy_(trace), blocks_(trace), done_(blocks_.calls.size(), false) {
    if (keeps_masks) find_masks();
  }

  Trace run() {
    find_needed();
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const OpCall& call = trace_.calls()[i];
      copy_.enter_section_of(i);
      if (call.phase != Phase::Forward) {
        for (const TensorId id : call.inputs) compute_again(blocks_.of(trace_, id));
        compute_again(blocks_.of(trace_, made_with_mask(call)));
      }
      copy_.append(call);
    }
    return copy_.finish();
  }

 private:
  void find_masks() {
    for (const OpCall& call : trace_.calls()) {
      if (call.phase == Phase::Forward && call.op->name == "dropout") {
        masked_[call.attributes[1]] = call.outputs[0];
      }
    }
  }

  /// What the forward call makes whose mask this one reads.
  TensorId made_with_mask(const OpCall& call) const {
    if (call.op->name != "dropout") return kNoTensor;
    const auto found = masked_.find(call.attributes[1]);
    return found == masked_.end() ? kNoTensor : found->second;
  }

  /// The inner tensors that the backward pass reads, and those of which they are made.
  void find_needed() {
    needed_.assign(trace_.tensors().size(), false);
    const auto need = [&](TensorId id) {
      if (blocks_.of(trace_, id) != kNone) needed_[std::size_t(trace_.owner(id))] = true;
    };
    for (std::size_t i = trace_.calls().size(); i-- > 0;) {
      const OpCall& call = trace_.calls()[i];
      const bool is_backward = call.phase != Phase::Forward;
      if (is_backward) need(made_with_mask(call));
      if (is_backward || is_needed(call)) {
        std::for_each(call.inputs.begin(), call.inputs.end(), need);
      }
    }
  }

  bool is_needed(const OpCall& call) const {
    return std::any_of(call.outputs.begin(), call.outputs.end(), [&](TensorId id) {
      return id != kNoTensor && needed_[std::size_t(trace_.owner(id))];
    });
  }

  void compute_again(std::int32_t block) {
    if (block == kNone || done_[std::size_t(block)]) return;
    done_[std::size_t(block)] = true;
    std::vector<TensorId> inner;
    for (const std::size_t i : blocks_.calls[std::size_t(block)]) {
      for (const TensorId id : trace_.calls()[i].outputs) {
        if (blocks_.of(trace_, id) == block) inner.push_back(trace_.owner(id));
      }
    }
    copy_.forget(inner);
    Again place = Again::First;
    for (const std::size_t i : blocks_.calls[std::size_t(block)]) {
      if (!is_needed(trace_.calls()[i])) continue;
      copy_.append_again(trace_.calls()[i], inner, place);
      place = Again::Rest;
    }
  }

  const Trace& trace_;
  TraceCopy copy_;
  Blocks blocks_;
  std::vector<bool> done_;
  std::vector<bool> needed_;
  std::map<double, TensorId> masked_;  // by seed, what is made with a mask that is kept
};

}  // namespace

Trace checkpoint(const Trace& trace, bool keeps_masks) {
  return Checkpoint(trace, keeps_masks).run();
}

}  // namespace siliconprof
