#include "siliconprof/devices/step_summary.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "siliconprof/devices/host_waits.h"
#include "siliconprof/devices/offload_walks.h"
#include "siliconprof/devices/queue.h"
#include "siliconprof/ops/liveness.h"

namespace siliconprof {
namespace {

// How a call is known: its tensors and what it waits for are unset.
using Key = std::pair<OpCall, PlacedCall>;

struct Hash {
  std::size_t operator()(const Key& key) const {
    const OpCall& call = key.first;
    std::size_t seed = std::hash<const Op*>{}(call.op);
    const auto mix = [&seed](std::size_t value) {
      seed ^= value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2);
    };
    for (const std::int64_t dim : call.dims) mix(std::size_t(dim));
    for (const double attribute : call.attributes) mix(std::hash<double>{}(attribute));
    mix(std::size_t(call.dtype) * 8 + std::size_t(call.phase) * 2 + std::size_t(call.joins_launch));
    mix(std::size_t(call.again));
    mix(std::size_t(call.inside) * 4 + std::size_t(call.crosses) * 2 + std::size_t(call.narrow));
    mix(std::size_t(key.second.place));
    return seed;
  }
};

// Seconds of each kind's calls, through the clocks of a device.
std::vector<double> on_device(const StepSummary& step, std::span<const KindTime> times,
                              const Host& host) {
  std::vector<double> by_kind_s(step.kinds.size(), 0.0);
  Queue queue(host.pace.is_asynchronous);
  PassHost passes(costs_of(host.passes, step));
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
  return by_kind_s;
}

// And through those of a device and its host.
std::vector<double> offloaded(const StepSummary& step, std::span<const KindTime> times,
                              const Host& host) {
  OffloadQueue queue(step.placed, host.pace);
  PassHost passes(host.passes);
  queue.run_all(step.waits[host.is_eager ? 1 : 0], [&](std::size_t i, bool waits) {
    const auto kind = std::size_t(step.order[i]);
    const double before_s = pass_s(passes, step.placed[i], step.kinds[kind].call.phase, waits);
    return std::pair{before_s + times[kind].issue_s, times[kind].kernel_s};
  });
  std::vector<double> by_kind_s(step.kinds.size(), 0.0);
  const std::vector<double> shares_s = queue.shares_s();
  for (std::size_t i = 0; i < shares_s.size(); ++i) {
    by_kind_s[std::size_t(step.order[i])] += shares_s[i];
  }
  return by_kind_s;
}

}  // namespace

StepSummary summarise(const Trace& trace) {
  StepSummary step;
  step.order.reserve(trace.calls().size());
  step.placed = place_calls(trace);
  std::unordered_map<Key, std::int32_t, Hash> places;
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    OpCall call = trace.calls()[i];
    const PlacedCall placed = step.placed.empty() ? PlacedCall() : unordered(step.placed[i]);
    call.inputs = no_tensors<kMaxInputs>();
    call.outputs = no_tensors<kMaxOutputs>();
    const auto [found, is_new] =
        places.try_emplace(Key{call, placed}, std::int32_t(step.kinds.size()));
    if (is_new) step.kinds.push_back({call, cost_of(call), 0, placed});
    step.kinds[std::size_t(found->second)].count += 1;
    step.order.push_back(found->second);
  }
  step.peak_bytes = trace.memory().peak_bytes();
  step.peak_bytes_shared =
      keeps_on_host(trace) ? memory_timeline(trace, MemoryOf::Both).peak_bytes() : step.peak_bytes;
  for (const bool eager : {false, true}) step.waits[eager ? 1 : 0] = host_waits(trace, eager);
  step.begins = phase_begins(trace.calls());
  return step;
}

std::vector<std::int32_t> phase_begins(const std::vector<OpCall>& calls) {
  std::vector<std::int32_t> begins;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (i == 0 || calls[i].phase != calls[i - 1].phase) begins.push_back(std::int32_t(i));
  }
  return begins;
}

PassCosts costs_of(const PassCosts& costs, const StepSummary& step) {
  const auto phase_of = [&](std::int32_t kind) { return step.kinds[std::size_t(kind)].call.phase; };
  return step.order.empty()
             ? costs
             : costs_of(costs, phase_of(step.order.front()), phase_of(step.order.back()));
}

bool convolves(const StepSummary& step) {
  return std::any_of(step.kinds.begin(), step.kinds.end(), [](const CallKind& kind) {
    return kind.call.op->op_class == OpClass::Convolution;
  });
}

double touched_bytes(const StepSummary& step) {
  double bytes = 0.0;
  for (const CallKind& kind : step.kinds) {
    if (kind.placed.place != Place::Device) continue;
    bytes += double(kind.count) * double(kind.cost.bytes());
  }
  return bytes;
}

StepTime step_time(const StepSummary& step, std::span<const KindTime> times, const Host& host) {
  const std::vector<double> by_kind_s =
      is_offloaded(step, host) ? offloaded(step, times, host) : on_device(step, times, host);
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
