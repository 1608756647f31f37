#include "siliconprof/devices/step_prediction.h"
#include "siliconprof/devices/lacking.h"

#include <algorithm>
#include <span>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/lane_queue.h"

namespace siliconprof {
namespace {

using PhaseLanes = std::array<Lanes, kPhaseCount>;

/// Of each kind: its times and, where they are asked for, the terms of one kernel. `rate`: of the
/// step's pages, if it has any.
std::vector<LaneTimes> times_of(const Model& model, const StepSummary& step,
                                const std::optional<PagingRate>& rate, std::vector<Terms>* terms) {
  const SumErrors* errors = step_errors(model, step.order.size());
  std::vector<LaneTimes> times;
  times.reserve(step.kinds.size());
  if (terms) terms->reserve(step.kinds.size());
  for (const CallKind& kind : step.kinds) {
    CallTime time = model.call_time(kind.call, kind.cost, kind.placed);
    if (rate && kind.placed.place == Place::Device) {
      add_paging(time.kernel, *rate, double(kind.cost.bytes()));
    }
    times.push_back(lane_times(model, errors, kind.call, kind.placed, time));
    if (terms) terms->push_back(time.kernel.terms);
  }
  return times;
}

std::int32_t next(std::span<const std::int32_t> places, std::size_t done, std::size_t otherwise) {
  return done < places.size() ? places[done] : std::int32_t(otherwise);
}

std::vector<LaneKernel> kernels_of(const std::vector<LaneTimes>& times) {
  std::vector<LaneKernel> kernels;
  kernels.reserve(times.size());
  for (const LaneTimes& time : times) {
    kernels.push_back({LaneVector(time.issue_s), LaneVector(time.kernel_s)});
  }
  return kernels;
}

// Stretches of calls with nothing but their launches between them, one after the other. Adds what
// the device takes up to the end of each to its phase.
Lanes walk(const StepSummary& step, const std::vector<LaneTimes>& times, const Host& host,
           const Lanes& pace, PhaseLanes& by_phase_s) {
  const std::vector<LaneKernel> kernels = kernels_of(times);
  const std::vector<std::int32_t>& waits = step.waits[host.is_eager ? 1 : 0];
  const std::span<const std::int32_t> order = step.order;
  PassHost passes(costs_of(host.passes, step));
  LaneQueue queue(host.pace.is_asynchronous);
  std::size_t waited = 0;
  std::size_t begun = 0;
  for (std::size_t i = 0; i < order.size();) {
    const bool waits_here = next(waits, waited, order.size()) == std::int32_t(i);
    if (waits_here) ++waited;
    if (next(step.begins, begun, order.size()) == std::int32_t(i)) ++begun;
    const Phase phase = times[std::size_t(order[i])].phase;
    const double pass_s = passes.before_s(phase, waits_here);
    if (waits_here) queue.wait();
    queue.work(LaneVector(pace) * pass_s);
    const auto end = std::size_t(
        std::min(next(waits, waited, order.size()), next(step.begins, begun, order.size())));
    const Lanes before_s = queue.end_s();
    queue.run(order.subspan(i, end - i), kernels);
    const Lanes after_s = queue.end_s();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      by_phase_s[std::size_t(phase)][lane] += after_s[lane] - before_s[lane];
    }
    i = end;
  }
  return queue.end_s();
}

// The same where some of the step is on a host.
Lanes walk_offloaded(const StepSummary& step, const std::vector<LaneTimes>& times, const Host& host,
                     const Lanes& pace) {
  const std::vector<LaneKernel> kernels = kernels_of(times);
  const std::vector<std::int32_t>& waits = step.waits[host.is_eager ? 1 : 0];
  const LaneVector paced(pace);
  PassHost passes(host.passes);
  OffloadClocks<LaneVector> clocks(host.pace, step.order.size());
  std::size_t waited = 0;
  for (std::size_t i = 0; i < step.order.size(); ++i) {
    const bool waits_here = next(waits, waited, step.order.size()) == std::int32_t(i);
    if (waits_here) {
      ++waited;
      clocks.wait();
    }
    const auto kind = std::size_t(step.order[i]);
    const double before_s = pass_s(passes, step.placed[i], times[kind].phase, waits_here);
    const LaneKernel& kernel = kernels[kind];
    clocks.run(step.placed[i], paced * before_s + kernel.issue_s, kernel.kernel_s);
  }
  return clocks.end_s().lanes();
}

/// A step at the full clock.
struct Walked {
  std::vector<LaneTimes> times;  // by kind
  Lanes end_s{};
  PhaseLanes by_phase_s{};  // of a step with none of it on a host
  Interval paging_off_s{};

  double kernel_s(std::size_t kind) const { return times[kind].kernel_s[kMiddle]; }
};

Walked walked(const Model& model, const StepSummary& step, std::int64_t held_bytes,
              std::vector<Terms>* terms) {
  const auto rate =
      paging_rate(model.rates().paging, held_bytes, [&] { return touched_bytes(step); });
  Walked found{.times = times_of(model, step, rate, terms)};
  if (rate) found.paging_off_s = rate->off_s();
  const Host host = model.host();
  const Lanes pace = paces(model.rates(), step_errors(model, step.order.size()));
  found.end_s = is_offloaded(step, host) ? walk_offloaded(step, found.times, host, pace)
                                         : walk(step, found.times, host, pace, found.by_phase_s);
  return found;
}

/// What the board does in a step, and the part of the full clock that its power allows.
struct Powered {
  PoweredWork work;
  double clock = 1.0;

  double longer() const { return 1.0 / clock - 1.0; }  // that it makes kernels take, as a part
};

/// None where nothing is known of the board's power.
std::optional<Powered> powered(const Model& model, const StepSummary& step, const Walked& walk) {
  const auto& unit = model.rates().power;
  if (!unit) return std::nullopt;
  const auto works = [&](std::size_t i) { return walk.times[i].work; };
  Powered found;
  found.work =
      powered_work(*unit, step, walk.end_s[kMiddle], works, step_errors(model, step.order.size()));
  found.clock = sustained_clock(found.work, *unit);
  return found;
}

/// With what the clock stretches taking longer by `longer`, as a part.
StepPrediction concluded(const Model& model, const StepSummary& step, const Walked& walk,
                         double longer) {
  const Lanes& end_s = walk.end_s;
  const SumErrors* errors = step_errors(model, step.order.size());
  double all_clocked_s = 0.0;
  KindSeconds off_s{};
  KindSeconds full_clock_off_s{};
  for (std::size_t i = 0; i < step.kinds.size() && (longer > 0.0 || errors); ++i) {
    const CallKind& kind = step.kinds[i];
    const auto count = double(kind.count);
    const double kernels_s = count * walk.times[i].work.total_s;
    const double stretched_s = count * clocked_s(kind, walk.times[i].work);
    all_clocked_s += stretched_s;
    if (!errors) continue;
    add_off(full_clock_off_s, model, kind.call, kind.placed, kernels_s);
    add_off(off_s, model, kind.call, kind.placed, kernels_s + longer * stretched_s);
  }
  const double time_s = end_s[kMiddle] + longer * all_clocked_s;
  if (!errors || end_s[kMiddle] <= 0.0) {
    return {time_s,
            {end_s[kShortest] + longer * all_clocked_s, end_s[kLongest] + longer * all_clocked_s}};
  }
  const auto shift_s = [&](std::size_t fast, std::size_t slow) {
    return Interval{end_s[kMiddle] - end_s[fast], end_s[slow] - end_s[kMiddle]};
  };
  return {time_s, step_bounds(time_s, off_s, shown(full_clock_off_s, shift_s(kShortest, kLongest)),
                              shift_s(kFastHost, kSlowHost), walk.paging_off_s)};
}

/// Adds the calls of the i-th kind, but for what the device waits for their launches.
void add_kind(PhasePrediction& phase, const CallKind& kind, const Terms& terms, const Walked& walk,
              std::size_t i, double longer) {
  const auto count = double(kind.count);
  for (std::size_t t = 0; t < kTermCount; ++t) phase.terms[t] += count * terms[t];
  at(phase.terms, Term::Launch) -= count * walk.kernel_s(i);
  phase.cost.matrix_flops += kind.count * kind.cost.matrix_flops;
  phase.cost.vector_flops += kind.count * kind.cost.vector_flops;
  phase.cost.bytes_read += kind.count * kind.cost.bytes_read;
  phase.cost.bytes_written += kind.count * kind.cost.bytes_written;
  const double longer_s = longer * count * clocked_s(kind, walk.times[i].work);
  phase.wall_s += longer_s;
  at(phase.terms, arithmetic_of(kind.cost)) += longer_s;
}

/// Seconds of the walk in the middle and at its ends; with errors of sums the ends are the step's,
/// in proportion.
void add_walk(PhasePrediction& phase, const Lanes& walk_s, const StepPrediction& step,
              bool has_errors) {
  const double longer_s = phase.wall_s;
  phase.wall_s += walk_s[kMiddle];
  // What kernels leave of the walk is 0 or more, but for rounding.
  double& launch_s = at(phase.terms, Term::Launch);
  launch_s = std::max(0.0, launch_s + walk_s[kMiddle]);
  phase.interval_s =
      has_errors
          ? Interval{phase.wall_s * (step.interval_s.lo / step.time_s),
                     phase.wall_s * (step.interval_s.hi / step.time_s)}
          : reaching({walk_s[kShortest] + longer_s, walk_s[kLongest] + longer_s}, phase.wall_s);
}

}  // namespace

StepPrediction predict_step(const Model& model, const StepSummary& step, std::int64_t held_bytes) {
  return predict_powered(model, step, held_bytes).step;
}

PoweredPrediction predict_powered(const Model& model, const StepSummary& step,
                                  std::int64_t held_bytes) {
  model.check_order_free("sweep");
  check_lacking(model.framework(), step);
  const Walked walk = walked(model, step, held_bytes, nullptr);
  const std::optional<Powered> board = powered(model, step, walk);
  PoweredPrediction found{concluded(model, step, walk, board ? board->longer() : 0.0), {}};
  if (board)
    found.energy = step_energy(model, step_errors(model, step.order.size()), board->work,
                               board->clock, found.step);
  return found;
}

StepEnergy step_energy(const Model& model, const SumErrors* errors, const PoweredWork& work,
                       double clock, const StepPrediction& step) {
  const PowerUnit& unit = model.rates().power.value();
  const double joules = joules_at(work, unit, clock);
  // Where nothing is known of its kernels' errors, a longer step does more of all it does.
  const double watts = errors != nullptr ? unit.idle_watts : joules / step.time_s;
  return {joules, joules_bounds(work, unit, clock, step.interval_s, watts)};
}

PhasedPrediction predict_phases(const Model& model, const StepSummary& step,
                                std::int64_t held_bytes) {
  model.check_order_free("predict");
  check_lacking(model.framework(), step);
  if (!step.placed.empty()) {
    throw ArgumentError(
        "[predict] some of the step is on a host, and phases overlap; needed: all "
        "of it on the device");
  }
  std::vector<Terms> terms;
  const Walked walk = walked(model, step, held_bytes, &terms);
  PhasedPrediction found;
  const std::optional<Powered> board = powered(model, step, walk);
  const double longer = board ? board->longer() : 0.0;
  found.step = concluded(model, step, walk, longer);
  if (board) {
    found.clock = board->clock;
    found.energy = step_energy(model, step_errors(model, step.order.size()), board->work,
                               board->clock, found.step);
    found.warm = warm_up(board->work, *model.rates().power, board->clock);
  }
  for (std::size_t i = 0; i < step.kinds.size(); ++i) {
    auto& phase = found.phases[std::size_t(step.kinds[i].call.phase)];
    if (!phase) phase.emplace();
    add_kind(*phase, step.kinds[i], terms[i], walk, i, longer);
  }
  const bool has_errors =
      step_errors(model, step.order.size()) != nullptr && found.step.time_s > 0.0;
  for (std::size_t p = 0; p < kPhaseCount; ++p) {
    auto& phase = found.phases[p];
    if (phase) add_walk(*phase, walk.by_phase_s[p], found.step, has_errors);
  }
  return found;
}

}  // namespace siliconprof
