#include "siliconprof/devices/offload_plan.h"

#include <algorithm>

namespace siliconprof {
namespace {

using Ends = std::array<std::int32_t, kPlaces>;  // by place, the last call

std::size_t index(Place place) { return static_cast<std::size_t>(place); }

void join(Ends& ends, const Ends& others) {
  for (std::size_t p = 0; p < kPlaces; ++p) ends[p] = std::max(ends[p], others[p]);
}

class Planner {
 public:
  explicit Planner(const Trace& trace)
      : trace_(trace), written_(trace.tensors().size(), kNone), read_(written_) {}

  std::vector<PlacedCall> run() {
    std::vector<PlacedCall> placed;
    placed.reserve(trace_.calls().size());
    for (const OpCall& call : trace_.calls()) placed.push_back(place(call));
    mark_early(placed);
    return placed;
  }

 private:
  static constexpr Ends kNone{-1, -1, -1, -1, -1};

  // A gradient leaves before the pass is over, a parameter returns before the update is.
  void mark_early(std::vector<PlacedCall>& placed) const {
    bool passes = false;
    bool updates = false;
    for (std::size_t i = placed.size(); i-- > 0;) {
      PlacedCall& call = placed[i];
      passes = passes || call.place == Place::Device;
      updates = updates || trace_.calls()[i].phase == Phase::Optimizer;
      if (call.place == Place::ToHost) call.is_early = passes;
      if (call.place == Place::ToDevice) call.is_early = updates;
    }
  }

  bool on_host(TensorId id) const { return trace_.tensors()[std::size_t(id)].on_host; }

  template <std::size_t N>
  bool any_on_host(const std::array<TensorId, N>& ids) const {
    return std::any_of(ids.begin(), ids.end(),
                       [&](TensorId id) { return id != kNoTensor && on_host(id); });
  }

  Ends needed(const OpCall& call) const {
    Ends needed = kNone;
    for (const TensorId id : call.inputs) {
      if (id != kNoTensor) join(needed, written_[std::size_t(trace_.owner(id))]);
    }
    for (const TensorId id : call.outputs) {
      if (id == kNoTensor) continue;
      join(needed, written_[std::size_t(trace_.owner(id))]);
      join(needed, read_[std::size_t(trace_.owner(id))]);
    }
    return needed;
  }

  // What waits for nothing but others of its kind runs beside the pass.
  static Place host_place(const Ends& needed) {
    const bool is_late = std::all_of(needed.begin(), needed.begin() + index(Place::Beside),
                                     [](std::int32_t call) { return call < 0; });
    return is_late ? Place::Beside : Place::Host;
  }

  PlacedCall place(const OpCall& call) {
    const bool reads_host = any_on_host(call.inputs);
    const bool writes_host = any_on_host(call.outputs);
    PlacedCall made;
    made.after = needed(call);
    if (call.phase == Phase::Transfer && reads_host != writes_host) {
      made.place = writes_host ? Place::ToHost : Place::ToDevice;
      made.pageable = is_set(call.attributes[0]);
    } else if (reads_host || writes_host) {
      made.place = host_place(made.after);
    }
    const auto own = index(made.place);
    made.after[own] = -1;
    const auto now = std::int32_t(&call - trace_.calls().data());
    for (const TensorId id : call.inputs) {
      if (id != kNoTensor) read_[std::size_t(trace_.owner(id))][own] = now;
    }
    for (const TensorId id : call.outputs) {
      if (id != kNoTensor) written_[std::size_t(trace_.owner(id))][own] = now;
    }
    return made;
  }

  const Trace& trace_;
  std::vector<Ends> written_;
  std::vector<Ends> read_;
};

}  // namespace

std::vector<PlacedCall> place_calls(const Trace& trace) {
  const auto& calls = trace.calls();
  if (calls.empty() || calls.back().phase != Phase::Transfer) return {};  // nothing returns
  return Planner(trace).run();
}

}  // namespace siliconprof
