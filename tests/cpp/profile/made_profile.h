#pragma once

// A small profile for tests: a step, one phase, ops with the given times.

#include <utility>
#include <vector>

#include "siliconprof/profile/profile.h"

namespace siliconprof {

using NamedTime = std::pair<const char*, double>;

inline Profile made_profile(double step_s, const std::vector<NamedTime>& ops, double spread = 0.0) {
  Profile profile;
  profile.label = "made";
  profile.device = "cpu";
  const auto add = [&](const char* span_name, SpanKind kind, int parent, double wall_s) {
    Span span;
    span.name = span_name;
    span.kind = kind;
    span.parent = parent;
    span.wall_s = wall_s;
    if (spread > 0.0) span.interval_s = Interval{wall_s * (1 - spread), wall_s * (1 + spread)};
    profile.spans.edit().push_back(span);
  };
  add("step", SpanKind::Step, -1, step_s);
  add("forward", SpanKind::Phase, 0, step_s);
  for (const auto& [op, seconds] : ops) add(op, SpanKind::Op, 1, seconds);
  return profile;
}

}  // namespace siliconprof
