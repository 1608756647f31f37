#include "siliconprof/workloads/passes/join_kernels.h"

#include <algorithm>
#include <utility>

#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/kernel_groups.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

constexpr std::int32_t kNone = -1;

class Join {
 public:
  explicit Join(const Trace& trace)
      : trace_(trace),
        copy_(trace),
        groups_(kernel_groups(trace)),
        is_put_(groups_.members.size(), false),
        writer_(trace.tensors().size(), kNone),
        outer_readers_(trace.tensors().size(), false),
        held_by_(trace.tensors().size(), kNone) {}

  Trace run() {
    find_writers();
    find_outer_readers();
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const std::int32_t group = groups_.of_call[i];
      // A kernel runs with its last call, or when something else needs what it makes.
      if (members(group).back() == std::int32_t(i)) put(group);
    }
    return copy_.finish();
  }

 private:
  const std::vector<std::int32_t>& members(std::int32_t group) const {
    return groups_.members[std::size_t(group)];
  }
  std::size_t owner(TensorId id) const { return std::size_t(trace_.owner(id)); }

  template <class Visit>
  void each_input(std::int32_t i, const Visit& visit) const {
    const OpCall& call = trace_.calls()[std::size_t(i)];
    for (std::size_t slot = 0; slot < call.inputs.size(); ++slot) {
      if (call.inputs[slot] != kNoTensor) visit(slot, owner(call.inputs[slot]));
    }
  }

  /// Of each kernel, those that made what it reads, by then.
  void find_writers() {
    needs_.resize(groups_.members.size());
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      const std::int32_t group = groups_.of_call[i];
      each_input(std::int32_t(i), [&](std::size_t, std::size_t id) {
        if (writer_[id] != kNone && writer_[id] != group) {
          needs_[std::size_t(group)].push_back(writer_[id]);
        }
      });
      for (const TensorId id : trace_.calls()[i].outputs) {
        if (id != kNoTensor) writer_[owner(id)] = group;
      }
    }
  }

  /// Which tensors are needed by more than the kernel that makes them.
  void find_outer_readers() {
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) {
      each_input(std::int32_t(i), [&](std::size_t, std::size_t id) {
        if (writer_[id] != groups_.of_call[i]) outer_readers_[id] = true;
      });
    }
    for (const TensorId id : trace_.results()) outer_readers_[owner(id)] = true;
    for (const auto& [parameter, gradient] : trace_.gradients()) {
      outer_readers_[owner(gradient)] = true;
    }
    for (std::size_t id = 0; id < outer_readers_.size(); ++id) {
      if (is_persistent(trace_.tensors()[id].role)) outer_readers_[id] = true;
    }
  }

  void put(std::int32_t group) {
    if (is_put_[std::size_t(group)]) return;
    is_put_[std::size_t(group)] = true;
    for (const std::int32_t needed : needs_[std::size_t(group)]) put(needed);
    const bool shares = members(group).size() > 1;
    for (const std::int32_t i : members(group)) {
      copy_.enter_section_of(std::size_t(i));
      OpCall call = copy_.mapped(trace_.calls()[std::size_t(i)]);
      if (shares) {
        call.joins_launch = i != members(group).front();
        call.inside = inside(i, group);
      }
      copy_.made().append(call);
    }
  }

  /// What of the call's operands the kernel has at hand, or keeps to itself.
  std::uint16_t inside(std::int32_t i, std::int32_t group) {
    unsigned bits = 0;
    each_input(i, [&](std::size_t slot, std::size_t id) {
      if (std::exchange(held_by_[id], group) == group) bits |= 1U << slot;
    });
    const OpCall& call = trace_.calls()[std::size_t(i)];
    for (std::size_t o = 0; o < call.outputs.size(); ++o) {
      if (call.outputs[o] == kNoTensor) continue;
      held_by_[owner(call.outputs[o])] = group;
      const bool is_read = has_reader(owner(call.outputs[o]), group);
      if (is_read && !outer_readers_[owner(call.outputs[o])]) {
        bits |= 1U << (std::size_t{kMaxInputs} + o);
      }
    }
    return std::uint16_t(bits);
  }

  bool has_reader(std::size_t id, std::int32_t group) const {
    bool found = false;
    for (const std::int32_t i : members(group)) {
      each_input(i, [&](std::size_t, std::size_t read) { found = found || read == id; });
    }
    return found;
  }

  const Trace& trace_;
  TraceCopy copy_;
  KernelGroups groups_;
  std::vector<std::vector<std::int32_t>> needs_;  // by kernel, those that run before it
  std::vector<bool> is_put_;
  std::vector<std::int32_t> writer_;   // by owner, the kernel that writes it last
  std::vector<bool> outer_readers_;    // by owner
  std::vector<std::int32_t> held_by_;  // by owner, the kernel that had it last
};

}  // namespace

Trace join_kernels(const Trace& trace) { return Join(trace).run(); }

}  // namespace siliconprof
