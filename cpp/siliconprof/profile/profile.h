#pragma once

// The result of every question: where the time and memory of a trace go, and where the numbers come
// from.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/counters/window.h"
#include "siliconprof/ops/memory_timeline.h"
#include "siliconprof/profile/sampling.h"
#include "siliconprof/profile/spans.h"

namespace siliconprof {

enum class Origin : std::uint8_t { Measured, Predicted, Recorded };
inline constexpr int kOriginCount = 3;
/// "measured", "predicted", "recorded".
std::string_view name(Origin origin);
/// Throws UnknownNameError.
Origin parse_origin(std::string_view text);

struct Profile {
  Origin origin = Origin::Measured;
  std::string label;  // of the trace
  std::string work;   // of the trace, where it says
  std::string device;
  std::string framework;  // measured here: the engine
  std::string source;     // recorded: where it was published
  Statistic statistic = Statistic::Median;
  std::string sampling;  // name of the rule
  std::string stop_reason;
  Spans spans;  // spans[0] is the step; parents come before children
  std::vector<double> warmups_s;
  std::optional<std::int64_t> peak_memory_bytes;
  std::optional<Interval> peak_memory_interval_bytes;
  std::optional<double> energy_joules;
  std::optional<Interval> energy_interval_joules;
  std::vector<CounterReading> counters;  // per step
  // Predicted: what the framework holds, where nothing is known of that the trace's tensors for as
  // long as they live; else empty.
  MemoryTimeline memory_timeline;
  std::map<std::string, std::string> environment;
  std::vector<std::string> notes;

  bool operator==(const Profile&) const = default;

  const Span& step() const { return spans.front(); }
  double time_s() const { return step().wall_s; }
  /// Sum over the phase's spans; none when the profile has no such phase.
  std::optional<double> phase_s(Phase phase) const;
  /// The step's time less that of its ops; negative where ops overlap.
  double unattributed_s() const;
  /// Minor and major faults per step, or the predicted ones; none when there are neither.
  std::optional<double> page_faults() const;
  /// Why a field (energy_joules, page_faults, forward_s...) or counter is none; empty when it is
  /// not. Throws UnknownNameError.
  std::string reason(std::string_view field) const;
  /// "<Profile measured 'matmul ...' on cpu (openblas): 1.23e-03 s>".
  std::string summary() const;
};

/// Checks what every profile promises: a step first, parents before children, times finite and not
/// negative. Throws RecordError naming `place`.
void check(const Profile& profile, std::string_view place);

}  // namespace siliconprof
