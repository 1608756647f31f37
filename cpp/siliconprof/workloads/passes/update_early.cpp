#include "siliconprof/workloads/passes/update_early.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

bool may_move(const OpCall& call) { return call.phase == Phase::Optimizer && !call.joins_launch; }

template <class Visit>
void each_owner(const Trace& trace, const OpCall& call, const Visit& visit) {
  for (const TensorId id : call.inputs) {
    if (id != kNoTensor) visit(std::size_t(trace.owner(id)));
  }
  for (const TensorId id : call.outputs) {
    if (id != kNoTensor) visit(std::size_t(trace.owner(id)));
  }
}

/// The calls by number: each update behind the last other call that uses what it reads or writes.
std::vector<std::size_t> order_of(const Trace& trace) {
  std::vector<std::ptrdiff_t> last(trace.tensors().size(), -1);  // call that uses it, by owner
  std::vector<std::vector<std::size_t>> behind(trace.calls().size() + 1);
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const OpCall& call = trace.calls()[i];
    auto after = std::ptrdiff_t(i);
    if (may_move(call)) {
      after = -1;
      each_owner(trace, call, [&](std::size_t owner) { after = std::max(after, last[owner]); });
    }
    behind[std::size_t(after + 1)].push_back(i);
    each_owner(trace, call, [&](std::size_t owner) { last[owner] = std::max(last[owner], after); });
  }
  std::vector<std::size_t> order;
  order.reserve(trace.calls().size());
  for (const auto& calls : behind) order.insert(order.end(), calls.begin(), calls.end());
  return order;
}

}  // namespace

Trace update_early(const Trace& trace) {
  TraceCopy copy(trace);
  for (const std::size_t i : order_of(trace)) {
    copy.enter_section_of(i);
    copy.append(trace.calls()[i]);
  }
  return copy.finish();
}

}  // namespace siliconprof
