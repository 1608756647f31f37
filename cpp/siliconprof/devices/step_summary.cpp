#include "siliconprof/devices/step_summary.h"

#include <functional>
#include <unordered_map>

#include "siliconprof/devices/host_waits.h"
#include "siliconprof/devices/queue.h"

namespace siliconprof {
namespace {

struct Hash {
  std::size_t operator()(const OpCall& call) const {
    std::size_t seed = std::hash<const Op*>{}(call.op);
    const auto mix = [&seed](std::size_t value) {
      seed ^= value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2);
    };
    for (const std::int64_t dim : call.dims) mix(std::size_t(dim));
    for (const double attribute : call.attributes) mix(std::hash<double>{}(attribute));
    mix(std::size_t(call.dtype) * 8 + std::size_t(call.phase) * 2 + std::size_t(call.joins_launch));
    return seed;
  }
};

}  // namespace

StepSummary summarise(const Trace& trace) {
  StepSummary step;
  step.order.reserve(trace.calls().size());
  std::unordered_map<OpCall, std::int32_t, Hash> places;
  for (const OpCall& made : trace.calls()) {
    OpCall call = made;
    call.inputs = no_tensors<kMaxInputs>();
    call.outputs = no_tensors<kMaxOutputs>();
    const auto [found, is_new] = places.try_emplace(call, std::int32_t(step.kinds.size()));
    if (is_new) step.kinds.push_back({call, call.op->cost(call), 0});
    step.kinds[std::size_t(found->second)].count += 1;
    step.order.push_back(found->second);
  }
  step.peak_bytes = trace.memory().peak_bytes();
  for (const bool eager : {false, true}) step.waits[eager ? 1 : 0] = host_waits(trace, eager);
  return step;
}

double touched_bytes(const StepSummary& step) {
  double bytes = 0.0;
  for (const CallKind& kind : step.kinds) bytes += double(kind.count) * double(kind.cost.bytes());
  return bytes;
}

StepTime step_time(const StepSummary& step, std::span<const KindTime> times, const Host& host) {
  std::vector<double> by_kind_s(step.kinds.size(), 0.0);
  Queue queue(host.is_asynchronous);
  PassHost passes(host.passes);
  auto wait = step.waits[host.is_eager ? 1 : 0].begin();
  const auto last_wait = step.waits[host.is_eager ? 1 : 0].end();
  for (std::size_t i = 0; i < step.order.size(); ++i) {
    const bool waits = wait != last_wait && *wait == std::int32_t(i);
    if (waits) {
      queue.wait();
      ++wait;
    }
    const auto kind = std::size_t(step.order[i]);
    const double pass_s = passes.before_s(step.kinds[kind].call.phase, waits);
    by_kind_s[kind] += queue.run(pass_s + times[kind].issue_s, times[kind].kernel_s);
  }
  StepTime time;
  for (std::size_t kind = 0; kind < step.kinds.size(); ++kind) {
    const OpCall& call = step.kinds[kind].call;
    time.time_s += by_kind_s[kind];
    time.by_phase_s[std::size_t(call.phase)] += by_kind_s[kind];
    time.by_class_s[std::size_t(call.op->op_class)] += by_kind_s[kind];
  }
  return time;
}

}  // namespace siliconprof
