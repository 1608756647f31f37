// What a prediction's profile holds besides its calls: counters, energy, the clock that power
// allows, intervals, memory.

#include <algorithm>
#include <sstream>
#include <utility>

#include "siliconprof/core/number_text.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/step_prediction.h"
#include "siliconprof/devices/usable_memory.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/profile/loop.h"

namespace siliconprof {
namespace {

constexpr const char* kBoardsEnergy = "energy is the board's alone; the host's share isn't in it";

/// What a step loses and gains at the ends of an interval.
Interval shift(Interval ends_s, double step_s) { return {step_s - ends_s.lo, ends_s.hi - step_s}; }

/// Seconds of a predicted span on the device, at work.
WorkSeconds device_s(const Span& span) {
  const Terms& terms = span.terms.value();
  return work_of(terms, span.wall_s - at(terms, Term::Launch) - at(terms, Term::Paging));
}

/// What a machine that counts faults would show of one step among many, and why it has them;
/// nothing of one that has none.
void add_paging(Profile& profile, const Paging& found, const PagingUnit& unit, std::int64_t held) {
  if (found.faults() == 0.0) return;
  profile.notes.push_back(paging_note(unit, found, held));
  const auto add = [&](const char* name, const char* unit_name, double value, CounterKind kind) {
    profile.counters.push_back(
        {.name = name, .unit = unit_name, .value = value, .reason = "", .kind = kind});
  };
  add("page_faults", "count", found.faults(), CounterKind::Delta);
  add("decompressed_bytes", "bytes", found.compressed_pages * unit.page_bytes, CounterKind::Delta);
  add("swapped_in_bytes", "bytes", found.swapped_pages * unit.page_bytes, CounterKind::Delta);
  add("resident_bytes", "bytes", found.resident_bytes, CounterKind::Level);
}

void add_level(Profile& profile, const char* name, std::int64_t bytes) {
  profile.counters.push_back({.name = name,
                              .unit = "bytes",
                              .value = double(bytes),
                              .reason = "",
                              .kind = CounterKind::Level});
}

/// What the board draws, and whether that is more than it may at the lowest clock that is known.
void add_energy(Profile& profile, const StepEnergy& energy, const PowerUnit& unit) {
  profile.energy_joules = energy.joules;
  profile.energy_interval_joules = energy.interval;
  profile.notes.emplace_back(kBoardsEnergy);
  constexpr double kRounding = 1.0 + 1e-6;
  const double watts = energy.joules / profile.time_s();
  if (watts <= unit.board_watts * kRounding) return;
  std::ostringstream note;
  note.precision(3);
  note << "even at " << kLowestClock << " of its clock, the lowest that is known, the board draws "
       << watts << " W where " << unit.board_watts
       << " W are allowed: the step takes longer than predicted";
  profile.notes.push_back(note.str());
}

/// What the board's power leaves of the full clock: the term by which kernels take longer.
void add_clock(Profile& profile, double clock) {
  profile.counters.push_back({.name = "sustained_clock",
                              .unit = "1",
                              .value = clock,
                              .reason = "",
                              .kind = CounterKind::Level});
}

/// What becomes of steps like this one, again and again, on a machine without a fan.
void add_warm_up(Profile& profile, const std::optional<WarmUp>& warm) {
  if (!warm) return;
  const auto add = [&](const char* name, double seconds) {
    profile.counters.push_back(
        {.name = name, .unit = "s", .value = seconds, .reason = "", .kind = CounterKind::Level});
  };
  add("warm_after_s", warm->after_s);
  add("warm_step_s", warm->step_s);
  std::ostringstream note;
  note.precision(3);
  note << "the machine is warm after " << warm->after_s << " s of such steps: a step then takes "
       << warm->step_s << " s, at " << warm->clock << " of its clock";
  profile.notes.push_back(note.str());
}

/// To say of a step that its device has no memory for; nothing where it is known how that pages.
void add_beyond(Profile& profile, const Model& model) {
  const Device& device = model.device();
  const bool is_a_machine = device.vendor == "cpu";
  const bool is_told = device.vendor == "nvidia" || (is_a_machine && !model.rates().paging);
  if (!is_told || !device.numbers.contains("memory.capacity_bytes")) return;
  const auto peak_bytes = double(profile.peak_memory_bytes.value_or(0));
  const double usable_bytes = usable_memory(device, model.framework()).value;
  if (peak_bytes <= usable_bytes) return;
  const char* whose = is_a_machine ? " that the machine has" : " that the board leaves to it";
  const char* then = is_a_machine ? ": it would swap, which takes far longer, or can't run there"
                                  : ": it can't run there as it is";
  profile.notes.push_back("the step needs " + gigabytes_text(peak_bytes) + " of the " +
                          gigabytes_text(usable_bytes) + whose + then);
}

void add_memory(Profile& profile, const Model& model, const Trace& trace) {
  const auto memory = model.memory(trace);
  profile.memory_timeline = memory ? memory->timeline : model.tensors(trace);
  const std::int64_t peak_bytes = profile.memory_timeline.peak_bytes();
  profile.peak_memory_bytes = peak_bytes;
  if (const auto& error = model.rates().memory_error) {
    profile.peak_memory_interval_bytes = error->around(double(peak_bytes), convolves(trace));
  }
  add_beyond(profile, model);
  if (!memory) return;
  const AllocatorRules& rules = *model.rates().allocator;
  std::int64_t reserved_bytes = memory->replay.peak.reserved_bytes;
  if (model.rates().shares_memory() && keeps_on_host(trace)) {
    reserved_bytes += memory_timeline(trace, MemoryOf::Host).peak_bytes();
  }
  add_level(profile, "reserved_memory_bytes", reserved_bytes);
  if (const auto limit = limit_bytes(rules)) add_level(profile, "memory_limit_bytes", *limit);
  std::string note = over_limit(rules, memory->replay);
  if (!note.empty()) profile.notes.push_back(std::move(note));
}

PoweredWork powered_work(const Trace& trace, const Profile& profile, const PowerUnit& unit,
                         const SumErrors* errors, const std::vector<PlacedCall>& placed) {
  PoweredWork work;
  work.step_s = profile.time_s();
  for (const Span& span : profile.spans) {
    if (span.kind != SpanKind::Op) continue;
    if (placed_at(placed, std::size_t(span.call)).place != Place::Device) continue;
    const OpCall& call = trace.calls()[std::size_t(span.call)];
    const double error = errors != nullptr ? errors->of(call) : 0.0;
    work.add(unit, call, *span.cost, device_s(span), 1.0, error);
  }
  return work;
}

/// Stretches what follows the clock of a step, and what holds it, to a part of the full one.
void slow_down(Profile& profile, const Trace& trace, const std::vector<PlacedCall>& placed,
               double clock) {
  const double longer = 1.0 / clock - 1.0;
  std::vector<Span>& spans = profile.spans.edit();
  for (Span& span : spans) {
    if (span.kind != SpanKind::Op) continue;
    if (placed_at(placed, std::size_t(span.call)).place != Place::Device) continue;
    const OpCall& call = trace.calls()[std::size_t(span.call)];
    const double longer_s = longer * clocked_s(call, device_s(span));
    const Term term = arithmetic_of(*span.cost);
    for (Span* each : {&span, &spans[std::size_t(span.parent)], &spans.front()}) {
      each->wall_s += longer_s;
      each->interval_s->lo += longer_s;
      each->interval_s->hi += longer_s;
      at(*each->terms, term) += longer_s;
    }
  }
}

KindSeconds kernel_errors(const Profile& profile, const Trace& trace, const Model& model,
                          const ModelBackend& backend) {
  const std::vector<PlacedCall>& placed = backend.placed();
  KindSeconds off_s{};
  for (const Span& span : profile.spans) {
    if (span.kind != SpanKind::Op) continue;
    const auto call = std::size_t(span.call);
    const PlacedCall where = placed_at(placed, call);
    // A span of the host or the link has a share of the step: nothing where it hides.
    const bool is_on_device = where.place == Place::Device;
    const double seconds = is_on_device ? device_s(span).total_s : backend.kernels()[call].seconds;
    add_off(off_s, model, trace.calls()[call], where, seconds);
  }
  return off_s;
}

/// Gives step and phases the step's interval, in proportion.
void set_intervals(Profile& profile, Interval step_interval_s) {
  const double step_s = profile.time_s();
  for (Span& span : profile.spans.edit()) {
    if (span.kind == SpanKind::Op) continue;
    span.interval_s = Interval{span.wall_s * (step_interval_s.lo / step_s),
                               span.wall_s * (step_interval_s.hi / step_s)};
  }
}

/// The step and its phases, in the order in which they begin.
std::vector<Span> outline(const PhasedPrediction& predicted, const StepSummary& summary,
                          const Cost& cost) {
  std::vector<Span> spans;
  spans.reserve(1 + kPhaseCount);
  Span& step = spans.emplace_back();
  step.name = "step";
  step.kind = SpanKind::Step;
  step.wall_s = predicted.step.time_s;
  step.interval_s = predicted.step.interval_s;
  step.cost = cost;
  step.terms.emplace();
  std::array<bool, kPhaseCount> seen{};
  for (const std::int32_t begin : summary.begins) {
    const Phase phase = summary.kinds[std::size_t(summary.order[std::size_t(begin)])].call.phase;
    if (std::exchange(seen[std::size_t(phase)], true)) continue;
    const PhasePrediction& own = predicted.phases[std::size_t(phase)].value();
    Span& span = spans.emplace_back();
    span.name = name(phase);
    span.kind = SpanKind::Phase;
    span.phase = phase;
    span.parent = 0;
    span.wall_s = own.wall_s;
    span.interval_s = own.interval_s;
    span.terms = own.terms;
    span.cost = own.cost;
    for (std::size_t t = 0; t < kTermCount; ++t) (*spans.front().terms)[t] += own.terms[t];
  }
  return spans;
}

/// A call by itself is off by what others of its class are, if that is more than its own kernel.
void widen_alone(Profile& profile, const OpCall& call, const AloneErrors& errors) {
  for (Span& span : profile.spans.edit()) {
    const Interval other = bounds(span.wall_s, errors.of(call.op->op_class, span.wall_s));
    Interval& own = *span.interval_s;
    own = {std::min(own.lo, other.lo), std::max(own.hi, other.hi)};
  }
}

/// A part's share of a quicker walk of the step, or of a slower one, may lie on the other side of
/// its time: it then ends there.
void hold_times(Profile& profile) {
  for (Span& span : profile.spans.edit()) span.interval_s = reaching(*span.interval_s, span.wall_s);
}

}  // namespace

Profile Model::predict(const Trace& trace) const {
  ModelBackend backend(*this);
  Profile found = profile(trace, backend, {}, Sampling::fixed(1, 0));
  const double full_clock_s = found.time_s();
  const std::vector<PlacedCall>& placed = backend.placed();
  const SumErrors* errors = step_errors(*this, trace.calls().size());
  Interval seen{};
  if (errors != nullptr) {
    seen = shown(kernel_errors(found, trace, *this, backend),
                 shift(backend.kernels_s(), full_clock_s));
  }
  PoweredWork work;
  double clock = 1.0;
  if (rates_.power) {
    work = powered_work(trace, found, *rates_.power, errors, placed);
    clock = sustained_clock(work, *rates_.power);
    if (clock < 1.0) slow_down(found, trace, placed, clock);
  }
  if (errors != nullptr && full_clock_s > 0.0) {
    const KindSeconds off_s = kernel_errors(found, trace, *this, backend);
    const Interval host_s = shift(backend.host_s(), full_clock_s);
    const auto& pages = backend.paging();
    const Interval paging_s = pages ? pages->off_s() : Interval{};
    set_intervals(found, step_bounds(found.time_s(), off_s, seen, host_s, paging_s));
  } else if (!placed.empty() && full_clock_s > 0.0) {
    // Shares of calls that hide behind others say less than the walks of the whole step.
    const double longer_s = found.time_s() - full_clock_s;
    const Interval ends_s = backend.kernels_s();
    set_intervals(found, {ends_s.lo + longer_s, ends_s.hi + longer_s});
  }
  hold_times(found);
  if (trace.calls().size() == 1 && !rates_.kernels.empty()) {
    widen_alone(found, trace.calls().front(), rates_.alone);
  }
  if (rates_.power) {
    const StepPrediction step{found.time_s(), found.step().interval_s.value()};
    add_energy(found, step_energy(*this, errors, work, clock, step), *rates_.power);
    add_clock(found, clock);
    add_warm_up(found, warm_up(work, *rates_.power, clock));
  }
  if (auto note = assumed_host(placed)) found.notes.push_back(*std::move(note));
  if (const auto& rate = backend.paging()) {
    add_paging(found, rate->step, *rates_.paging, held_bytes(trace));
  }
  add_memory(found, *this, trace);
  found.notes.insert(found.notes.begin(), settings_.begin(), settings_.end());
  return found;
}

std::optional<Profile> Model::totals(const Trace& trace) const {
  if (!rates_.kernels.empty()) return std::nullopt;
  const std::shared_ptr<const StepSummary> step = summary(trace);
  if (!step->placed.empty()) return std::nullopt;
  const std::int64_t held = rates_.paging ? held_bytes(trace) : 0;
  const PhasedPrediction predicted = predict_phases(*this, *step, held);
  Profile found;
  found.origin = Origin::Predicted;
  found.label = trace.label();
  found.work = trace.work();
  found.device = device_.id;
  found.framework = framework_.id;
  found.spans = outline(predicted, *step, trace.cost());
  if (predicted.energy) {
    add_energy(found, *predicted.energy, *rates_.power);
    add_clock(found, predicted.clock);
  }
  add_warm_up(found, predicted.warm);
  const auto paging = paging_rate(rates_.paging, held, [&] { return touched_bytes(*step); });
  if (paging) add_paging(found, paging->step, *rates_.paging, held);
  add_memory(found, *this, trace);
  found.notes.insert(found.notes.begin(), settings_.begin(), settings_.end());
  return found;
}

MemoryTimeline Model::tensors(const Trace& trace) const {
  if (!rates_.shares_memory() || !keeps_on_host(trace)) return trace.memory();
  return memory_timeline(trace, MemoryOf::Both);
}

std::int64_t Model::held_bytes(const Trace& trace) const {
  const auto held = memory(trace);
  return held ? held->timeline.peak_bytes() : tensors(trace).peak_bytes();
}

std::optional<std::string> Model::assumed_host(const std::vector<PlacedCall>& placed) const {
  const bool is_told = rates_.is_own_host || !rates_.offload || !rates_.offload->is_assumed;
  if (placed.empty() || is_told) return std::nullopt;
  return "the host beside " + device_.id +
         " is assumed: host.memory_bandwidth_bytes_per_s says what it is";
}

std::shared_ptr<const FrameworkMemory> Model::memory(const Trace& trace) const {
  if (!rates_.allocator) return nullptr;
  return last_->of(trace, last_->memory, [&] {
    return framework_memory(trace, *rates_.allocator, rates_.shares_memory());
  });
}

std::shared_ptr<const StepSummary> Model::summary(const Trace& trace) const {
  return last_->of(trace, last_->summary, [&] { return summarise(trace); });
}

}  // namespace siliconprof
