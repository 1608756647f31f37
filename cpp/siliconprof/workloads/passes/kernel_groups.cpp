#include "siliconprof/workloads/passes/kernel_groups.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace siliconprof {
namespace {

constexpr std::int32_t kNone = -1;

bool is_element_wise(const OpCall& call) {
  return call.op->op_class == OpClass::Elementwise || call.op->name == "transpose";
}

/// Goes over rows, each of which a part of the device holds. A batch's statistics lie across them:
/// its data are read again once those are there.
bool is_of_rows(const OpCall& call) {
  return call.op->op_class == OpClass::RowNormalisation && call.op->name != "batch_norm";
}

/// Whose results what follows may be made of while they are at hand.
bool may_begin(const OpCall& call) {
  return is_element_wise(call) || call.op->op_class == OpClass::RowNormalisation ||
         call.op->op_class == OpClass::Reduction || call.op->name == "embedding";
}

class Groups {
 public:
  explicit Groups(const Trace& trace)
      : trace_(trace), writer_(trace.tensors().size(), kNone), reader_(writer_) {
    found_.of_call.reserve(trace.calls().size());
  }

  KernelGroups run() {
    for (std::size_t i = 0; i < trace_.calls().size(); ++i) add(std::int32_t(i));
    return std::move(found_);
  }

 private:
  struct Group {
    std::int64_t elements = 0;
    std::int64_t row = 0;  // of its calls that go over rows; 0: none does
    std::int32_t pass = 0;
    std::int32_t last = 0;                                         // its last call so far
    std::int32_t read = std::numeric_limits<std::int32_t>::max();  // first other call to read it
    bool is_open = false;
  };

  const OpCall& call(std::int32_t i) const { return trace_.calls()[std::size_t(i)]; }
  std::int64_t elements(TensorId id) const {
    return trace_.tensors()[std::size_t(id)].shape.elements();
  }
  bool is_whole(TensorId id) const { return elements(id) == elements(trace_.owner(id)); }
  Group& group_of(std::int32_t i) { return groups_[std::size_t(found_.of_call[std::size_t(i)])]; }

  /// What a call goes over: as many as the largest that it reads; nothing where it makes fewer or
  /// more of them, other than one number a row.
  std::int64_t gone_over(const OpCall& c) const {
    if (!is_element_wise(c) && !is_of_rows(c)) return 0;
    std::int64_t most = 0;
    for (const TensorId id : c.inputs) {
      if (id != kNoTensor) most = std::max(most, elements(id));
    }
    const bool same = c.outputs[0] != kNoTensor && elements(c.outputs[0]) == most;
    return same || is_of_rows(c) ? most : 0;
  }

  static std::int64_t row_of(const OpCall& c) { return is_of_rows(c) ? c.dims[1] : 0; }

  void add(std::int32_t i) {
    const OpCall& c = call(i);
    if (i > 0 && c.phase != call(i - 1).phase) ++pass_;
    const std::int32_t joined = c.phase == Phase::Optimizer ? kNone : best(i);
    if (joined == kNone) {
      found_.of_call.push_back(std::int32_t(groups_.size()));
      found_.members.push_back({i});
      const std::int64_t made = c.outputs[0] == kNoTensor ? 0 : elements(c.outputs[0]);
      const std::int64_t over = gone_over(c);
      const bool opens = c.phase != Phase::Optimizer && may_begin(c);
      groups_.push_back({.elements = over > 0 ? over : made,
                         .row = row_of(c),
                         .pass = pass_,
                         .last = i,
                         .is_open = opens});
    } else {
      found_.of_call.push_back(joined);
      found_.members[std::size_t(joined)].push_back(i);
      Group& group = groups_[std::size_t(joined)];
      group.last = i;
      group.row = std::max(group.row, row_of(c));
    }
    for (const TensorId id : c.inputs) note_reader(id, i);
    for (const TensorId id : c.outputs) {
      if (id != kNoTensor) writer_[std::size_t(trace_.owner(id))] = i;
    }
  }

  void note_reader(TensorId id, std::int32_t i) {
    if (id == kNoTensor) return;
    const auto owner = std::size_t(trace_.owner(id));
    if (writer_[owner] != kNone && !is_of_one(writer_[owner], i)) {
      Group& group = group_of(writer_[owner]);
      group.read = std::min(group.read, i);
    }
    reader_[owner] = i;
  }

  bool is_of_one(std::int32_t a, std::int32_t b) const {
    return found_.of_call[std::size_t(a)] == found_.of_call[std::size_t(b)];
  }

  /// The kernel that the call joins: the latest of those it may.
  std::int32_t best(std::int32_t i) {
    const OpCall& c = call(i);
    const std::int64_t over = gone_over(c);
    std::int32_t found = kNone;
    if (over == 0) return found;
    const auto offer = [&](std::int32_t other, TensorId id) {
      if (other == kNone || elements(id) != over || !is_whole(id)) return;
      const std::int32_t group = found_.of_call[std::size_t(other)];
      const bool later =
          found == kNone || groups_[std::size_t(group)].last > groups_[std::size_t(found)].last;
      if (later && may_join(c, group, over)) found = group;
    };
    for (const TensorId id : c.inputs) {
      if (id != kNoTensor) offer(writer_[std::size_t(trace_.owner(id))], id);
    }
    if (found != kNone) return found;
    for (const TensorId id : c.inputs) {
      if (id != kNoTensor) offer(reader_[std::size_t(trace_.owner(id))], id);
    }
    return found;
  }

  bool may_join(const OpCall& c, std::int32_t number, std::int64_t over) {
    const Group& group = groups_[std::size_t(number)];
    const std::int64_t row = row_of(c);
    if (!group.is_open || group.elements != over || group.pass != pass_) return false;
    if (call(group.last).again != c.again) return false;
    if (row > 0 && group.row > 0 && row != group.row) return false;
    for (const TensorId id : c.inputs) {
      if (id == kNoTensor) continue;
      const std::int32_t writer = writer_[std::size_t(trace_.owner(id))];
      if (writer == kNone || found_.of_call[std::size_t(writer)] == number) continue;
      if (group_of(writer).last >= group.read) return false;
    }
    return true;
  }

  const Trace& trace_;
  std::vector<std::int32_t> writer_;  // by owner, the last call so far
  std::vector<std::int32_t> reader_;
  std::vector<Group> groups_;
  KernelGroups found_;
  std::int32_t pass_ = 0;
};

}  // namespace

KernelGroups kernel_groups(const Trace& trace) { return Groups(trace).run(); }

}  // namespace siliconprof
