#include "siliconprof/profile/profile.h"

#include <array>
#include <cmath>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kOriginCount> kNames{"measured", "predicted", "recorded"};

[[noreturn]] void refuse(std::string_view place, const std::string& what) {
  throw RecordError("[" + std::string(place) + "] " + what);
}

/// Why a time has none; `otherwise` of what isn't measured.
std::string no_interval(Origin origin, const std::string& otherwise) {
  return origin == Origin::Measured ? "too few samples: a longer budget takes more" : otherwise;
}

}  // namespace

std::string_view name(Origin origin) { return kNames[static_cast<std::size_t>(origin)]; }

Origin parse_origin(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Origin>(i);
  }
  throw_unknown_name("profile", "origin", text, kNames);
}

std::optional<double> Profile::phase_s(Phase phase) const {
  std::optional<double> sum;
  for (const Span& span : spans.outline()) {
    if (span.kind == SpanKind::Phase && span.phase == phase) sum = sum.value_or(0.0) + span.wall_s;
  }
  return sum;
}

double Profile::unattributed_s() const {
  double ops_s = 0.0;
  for (const Span& span : spans) {
    if (span.kind == SpanKind::Op) ops_s += span.wall_s;
  }
  return time_s() - ops_s;
}

std::optional<double> Profile::page_faults() const {
  std::optional<double> sum;
  for (const CounterReading& reading : counters) {
    if (reading.name == "page_faults") return reading.value;  // as predictions have them
    if (reading.name != "minor_faults" && reading.name != "major_faults") continue;
    if (!reading.value) return std::nullopt;
    sum = sum.value_or(0.0) + *reading.value;
  }
  return sum;
}

std::string Profile::reason(std::string_view field) const {
  const std::string how = "this profile is " + std::string(siliconprof::name(origin));
  const auto phase_reason = [&](Phase phase) -> std::string {
    if (phase_s(phase)) return "";
    if (origin == Origin::Recorded) return how + " and the source gives no phases";
    return "the trace has no " + std::string(siliconprof::name(phase)) + " phase";
  };
  const std::string memory_reason =
      how + (origin == Origin::Measured
                 ? ": memory by tensor is predicted; counters has rss_bytes and peak_rss_bytes"
                 : " and the source gives no memory");
  const std::string energy_reason =
      how + (origin == Origin::Predicted
                 ? ": the device's board power or the framework's power constants aren't known"
             : origin == Origin::Measured ? " and nothing counts energy here"
                                          : " and the source gives no energy");
  const std::string spread_reason =
      how + (origin == Origin::Predicted  ? ": how far such predictions are off isn't known"
             : origin == Origin::Measured ? ": it is counted once, over all passes"
                                          : " and the source gives no interval");
  const std::array<std::pair<std::string_view, std::string>, 14> missing{{
      {"interval", step().interval_s ? "" : no_interval(origin, spread_reason)},
      {"forward_s", phase_reason(Phase::Forward)},
      {"backward_s", phase_reason(Phase::Backward)},
      {"optimizer_s", phase_reason(Phase::Optimizer)},
      {"transfer_s", phase_reason(Phase::Transfer)},
      {"terms", step().terms ? "" : how + ": terms belong to predictions"},
      {"peak_memory_bytes", peak_memory_bytes ? "" : memory_reason},
      {"peak_memory_interval_bytes", peak_memory_interval_bytes ? ""
                                     : peak_memory_bytes        ? spread_reason
                                                                : memory_reason},
      {"memory_timeline", memory_timeline.points().empty() ? memory_reason : ""},
      {"flops", step().cost ? "" : how + " and the source gives no cost"},
      {"bytes", step().cost ? "" : how + " and the source gives no cost"},
      {"energy_joules", energy_joules ? "" : energy_reason},
      {"energy_interval_joules", energy_interval_joules ? ""
                                 : energy_joules        ? spread_reason
                                                        : energy_reason},
      {"page_faults", page_faults() ? "" : how + " and page faults were not counted"},
  }};
  std::vector<std::string_view> valid;
  for (const auto& [known, why] : missing) {
    if (known == field) return why;
    valid.push_back(known);
  }
  for (const CounterReading& reading : counters) {
    if (reading.name == field) return reading.reason;
    valid.push_back(reading.name);
  }
  throw_unknown_name("profile", "field", field, valid);
}

std::string Profile::summary() const {
  return "<Profile " + std::string(siliconprof::name(origin)) + " '" + label + "' on " + device +
         " (" + framework + "): " + seconds_text(time_s()) + ">";
}

namespace {

void check_interval(std::string_view place, const char* which,
                    const std::optional<Interval>& interval) {
  if (!interval || interval->lo <= interval->hi) return;
  refuse(place, std::string(which) + " has its ends exchanged or NaN");
}

}  // namespace

void check(const Profile& profile, std::string_view place) {
  check_interval(place, "peak_memory_interval_bytes", profile.peak_memory_interval_bytes);
  check_interval(place, "energy_interval_joules", profile.energy_interval_joules);
  if (profile.spans.empty()) refuse(place, "no spans; needed: at least the step");
  for (std::size_t i = 0; i < profile.spans.size(); ++i) {
    const Span& span = profile.spans[i];
    const std::string which = "span " + std::to_string(i) + " '" + span.name + "'";
    if ((i == 0) != (span.parent == -1) || span.parent >= std::int32_t(i) || span.parent < -1) {
      refuse(place, which + " has parent " + std::to_string(span.parent) +
                        "; needed: -1 for the first span, an earlier one for others");
    }
    if (!std::isfinite(span.wall_s) || span.wall_s < 0.0) {
      refuse(place, which + " has wall_s " + number_text(span.wall_s) +
                        "; needed: a finite time of 0 or more");
    }
    if (span.interval_s && !(span.interval_s->lo <= span.interval_s->hi)) {
      refuse(place, which + " has an interval with its ends exchanged or NaN");
    }
  }
}

}  // namespace siliconprof
