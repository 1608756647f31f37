#include "siliconprof/workloads/passes/reorder.h"

#include <algorithm>
#include <vector>

#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

/// Calls by their number, in an order of their own.
using Order = std::vector<std::int32_t>;

class Reorder {
 public:
  explicit Reorder(const Trace& trace)
      : trace_(trace), lives_(lifetimes(trace)), writers_(last_writes(trace)) {}

  Trace run() {
    const Order order = updates_early(summands_late());
    TraceCopy copy(trace_);
    for (const std::int32_t call : order) {
      copy.enter_section_of(std::size_t(call));
      copy.append(trace_.calls()[std::size_t(call)]);
    }
    return copy.finish();
  }

 private:
  const OpCall& call(std::int32_t index) const { return trace_.calls()[std::size_t(index)]; }
  std::int32_t count() const { return std::int32_t(trace_.calls().size()); }
  const TensorInfo& info(TensorId id) const { return trace_.tensors()[std::size_t(id)]; }

  bool is_passing(TensorId owner) const { return !is_persistent(info(owner).role); }

  /// For each sum of two terms: the earlier term's call goes before the later term's, the tied
  /// gradient of a language model's head before that of its embedding.
  Order summands_late() const {
    const std::vector<std::int32_t> reader = first_readers();
    std::vector<Order> before(trace_.calls().size());
    std::vector<bool> moved(trace_.calls().size(), false);
    for (std::int32_t i = 0; i < count(); ++i) {
      const std::int32_t target = latest_place(i, reader);
      if (target <= i + 1) continue;
      before[std::size_t(target)].push_back(i);
      moved[std::size_t(i)] = true;
    }
    Order order;
    order.reserve(before.size());
    for (std::int32_t i = 0; i < count(); ++i) {
      for (const std::int32_t late : before[std::size_t(i)]) order.push_back(late);
      if (!moved[std::size_t(i)]) order.push_back(i);
    }
    return order;
  }

  /// The first call that reads each owner; -1 where none does.
  std::vector<std::int32_t> first_readers() const {
    std::vector<std::int32_t> reader(trace_.tensors().size(), -1);
    for (std::int32_t i = count(); i-- > 0;) {
      for (const TensorId id : call(i).inputs) {
        if (id != kNoTensor) reader[std::size_t(trace_.owner(id))] = i;
      }
    }
    return reader;
  }

  /// The call before which call i may as well run and keeps less alive; -1 where it stays.
  std::int32_t latest_place(std::int32_t i, const std::vector<std::int32_t>& reader) const {
    const OpCall& made = call(i);
    if (made.phase != Phase::Backward || made.outputs[1] != kNoTensor) return -1;
    const TensorId term = trace_.owner(made.outputs[0]);
    const std::int32_t sum = reader[std::size_t(term)];
    if (sum <= i || lives_[std::size_t(term)].first != i || call(sum).op->name != "add") return -1;
    std::int32_t target = -1;
    for (const TensorId id : call(sum).inputs) {
      if (id == kNoTensor || trace_.owner(id) == term) continue;
      target = writers_[std::size_t(trace_.owner(id))];
    }
    // A term that is written once more, by the sum itself, has its last writer behind it.
    if (target <= i || target >= sum || changes_later(made, i)) return -1;
    return kept_bytes(made, target) < info(term).bytes() ? target : -1;
  }

  /// Whether a call after number i writes what it reads, updates of parameters aside: they wait.
  bool changes_later(const OpCall& made, std::int32_t i) const {
    return std::any_of(made.inputs.begin(), made.inputs.end(), [&](TensorId id) {
      if (id == kNoTensor || !is_passing(trace_.owner(id))) return false;
      return writers_[std::size_t(trace_.owner(id))] > i;
    });
  }

  /// What the operands of a call take that nothing else would keep until `target`.
  std::int64_t kept_bytes(const OpCall& made, std::int32_t target) const {
    std::int64_t bytes = 0;
    for (const TensorId id : made.inputs) {
      if (id == kNoTensor) continue;
      const TensorId owner = trace_.owner(id);
      const bool kept = is_passing(owner) && lives_[std::size_t(owner)].last < target;
      if (kept) bytes += info(owner).bytes();
    }
    return bytes;
  }

  bool may_move(const OpCall& made) const {
    return made.phase == Phase::Optimizer && !made.joins_launch;
  }

  /// Each update behind the last other call that uses what it reads or writes.
  Order updates_early(const Order& order) const {
    std::vector<std::int32_t> last(trace_.tensors().size(), -1);  // place in the order, by owner
    std::vector<Order> behind(order.size() + 1);
    const auto each_owner = [&](const OpCall& made, const auto& visit) {
      for (const TensorId id : made.inputs) {
        if (id != kNoTensor) visit(std::size_t(trace_.owner(id)));
      }
      for (const TensorId id : made.outputs) {
        if (id != kNoTensor) visit(std::size_t(trace_.owner(id)));
      }
    };
    for (std::size_t place = 0; place < order.size(); ++place) {
      const OpCall& made = call(order[place]);
      std::int32_t after = std::int32_t(place);
      if (may_move(made)) {
        after = -1;
        each_owner(made, [&](std::size_t owner) { after = std::max(after, last[owner]); });
      }
      behind[std::size_t(after + 1)].push_back(order[place]);
      each_owner(made, [&](std::size_t owner) { last[owner] = std::max(last[owner], after); });
    }
    Order made;
    made.reserve(order.size());
    for (const Order& there : behind) made.insert(made.end(), there.begin(), there.end());
    return made;
  }

  const Trace& trace_;
  std::vector<Lifetime> lives_;
  std::vector<std::int32_t> writers_;
};

}  // namespace

Trace reorder(const Trace& trace) { return Reorder(trace).run(); }

}  // namespace siliconprof
