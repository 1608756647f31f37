#include "siliconprof/ops/liveness.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace siliconprof {
bool is_persistent(Role role) {
  return role == Role::Input || role == Role::Parameter || role == Role::OptimizerState;
}

namespace {

std::vector<Lifetime> lifetimes(const Trace& trace, bool in_memory) {
  std::vector<Lifetime> lives(trace.tensors().size());
  std::vector<bool> is_read(lives.size());
  const auto use = [&](TensorId id, std::int32_t call, bool reads) {
    if (id == kNoTensor) return;
    const auto owner = std::size_t(trace.owner(id));
    if (lives[owner].first < 0) lives[owner].first = call;
    lives[owner].last = call;
    if (reads) is_read[owner] = true;
  };
  for (std::size_t i = 0; i < trace.calls().size(); ++i) {
    const OpCall& call = trace.calls()[i];
    const auto is_used = [&](std::size_t slot) { return !in_memory || !call.is_inside(slot); };
    for (std::size_t slot = 0; slot < kMaxInputs; ++slot) {
      if (is_used(slot)) use(call.inputs[slot], std::int32_t(i), true);
    }
    for (std::size_t slot = 0; slot < kMaxOutputs; ++slot) {
      if (is_used(kMaxInputs + slot)) use(call.outputs[slot], std::int32_t(i), false);
    }
  }
  const auto end = std::int32_t(trace.calls().size()) - 1;
  for (std::size_t id = 0; id < lives.size(); ++id) {
    if (trace.tensors()[id].is_view()) continue;
    const Role role = trace.tensors()[id].role;
    // A parameter that nothing touches still occupies memory; an input that nobody reads does not.
    const bool present = role != Role::Input || lives[id].first >= 0;
    if (is_persistent(role) && present) lives[id] = {0, end};
    const bool unread = lives[id].first >= 0 && !is_read[id];
    if (unread && trace.results().empty()) lives[id].last = end;
  }
  for (const TensorId id : trace.results()) lives[std::size_t(trace.owner(id))].last = end;
  return lives;
}

}  // namespace

std::vector<Lifetime> lifetimes(const Trace& trace) { return lifetimes(trace, false); }

std::vector<Lifetime> lifetimes_in_memory(const Trace& trace) { return lifetimes(trace, true); }

bool keeps_on_host(const Trace& trace) {
  return std::any_of(trace.tensors().begin(), trace.tensors().end(),
                     [](const TensorInfo& tensor) { return tensor.on_host; });
}

MemoryTimeline memory_timeline(const Trace& trace, MemoryOf place) {
  std::vector<MemoryPoint> points(trace.calls().size());
  if (points.empty()) return {};
  // Differences first (born at `first`, dead after `last`), then a running sum: linear in calls.
  for (std::size_t i = 0; i < points.size(); ++i) points[i].call = std::int32_t(i);
  const auto lives = lifetimes_in_memory(trace);
  for (std::size_t id = 0; id < lives.size(); ++id) {
    if (lives[id].first < 0) continue;
    const bool is_there = trace.tensors()[id].on_host == (place == MemoryOf::Host);
    if (!is_there && place != MemoryOf::Both) continue;
    const auto role = static_cast<std::size_t>(trace.tensors()[id].role);
    const std::int64_t bytes = trace.tensors()[id].bytes();
    points[std::size_t(lives[id].first)].by_role_bytes[role] += bytes;
    const auto after = std::size_t(lives[id].last) + 1;
    if (after < points.size()) points[after].by_role_bytes[role] -= bytes;
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      points[i].by_role_bytes[role] += points[i - 1].by_role_bytes[role];
    }
  }
  return MemoryTimeline(std::move(points));
}

}  // namespace siliconprof
