#include "siliconprof/devices/explain.h"
#include "siliconprof/devices/lacking.h"

#include <algorithm>
#include <memory>

#include "siliconprof/core/error.h"
#include "siliconprof/devices/held_bytes.h"
#include "siliconprof/ops/reuse.h"

namespace siliconprof {
namespace {

/// Throws DtypeError where a side lacks a format of its own step; TF32 it may be lent.
void check_formats(const Model& model, const StepSummary& own) {
  for (const CallKind& kind : own.kinds) {
    const bool is_there = kind.placed.place == Place::Device && kind.call.dtype != Dtype::Tf32;
    if (is_there) model.kernel_time(kind.call, kind.cost);
  }
}

// As Steps has them; a trace that several places share is summarised once.
using Summaries = std::array<std::shared_ptr<const StepSummary>, 8>;

std::string target(const Model& model) { return model.device().id + "/" + model.framework().id; }

bool any_kind(const Summaries& steps, bool (*fits)(const OpCall&)) {
  for (const auto& step : steps) {
    for (const CallKind& kind : step->kinds) {
      if (fits(kind.call)) return true;
    }
  }
  return false;
}

// Whether a side of one kind makes another trace, all else equal. `bit` as in Steps::place.
bool is_other_trace(const Steps& steps, std::size_t bit) {
  for (std::size_t place = 0; place < steps.traces.size(); ++place) {
    if (steps.traces[place] != steps.traces[place | bit]) return true;
  }
  return false;
}

// What the step of a place (Steps) holds of memory, by whose allocator and beside whose host.
struct Memory {
  const Steps& steps;
  const std::array<Model, 2>& sides;
  HeldBytes known{};

  std::int64_t held_bytes(std::size_t place, std::size_t launch, std::size_t transfers) {
    return known.of(*steps.traces[place], sides[launch].rates().allocator,
                    sides[transfers].rates().shares_memory());
  }
};

bool any_pages(Memory& memory, const Rates& rates) {
  if (!rates.paging) return false;
  for (std::size_t place = 0; place < memory.steps.traces.size(); ++place) {
    for (const std::size_t launch : {0, 1}) {
      for (const std::size_t transfers : {0, 1}) {
        if (pages(*rates.paging, memory.held_bytes(place, launch, transfers))) return true;
      }
    }
  }
  return false;
}

// Those that can change this step's time; the others' parts are nothing.
std::vector<Cause> players(const Steps& steps, const Summaries& summaries, Memory& memory,
                           const Rates& from, const Rates& to) {
  std::vector<Cause> found{Cause::Matrix, Cause::Vector, Cause::Launch};
  if (any_pages(memory, from) || any_pages(memory, to)) found.push_back(Cause::Paging);
  const auto moves = [](const OpCall& call) { return call.phase == Phase::Transfer; };
  const auto is_other = [](const OpCall& call) { return call.dtype != Dtype::Float32; };
  const bool is_offloaded = is_other_trace(steps, Steps::place({.transfers = 1}));
  if (is_offloaded || any_kind(summaries, moves)) found.push_back(Cause::Transfers);
  const bool is_mixed = is_other_trace(steps, Steps::place({.formats = 1}));
  if (is_mixed || any_kind(summaries, is_other)) found.push_back(Cause::Dtype);
  if (is_other_trace(steps, Steps::place({.kernels = 1}))) found.push_back(Cause::Lowering);
  if (from.power || to.power) found.push_back(Cause::ClockAndPower);
  return found;
}

// A device without tf32 carries its products out in float32: the same numbers in memory.
bool lend_float32_to_tf32(Rates& rates) {
  constexpr auto kTf32 = static_cast<std::size_t>(Dtype::Tf32);
  constexpr auto kSingle = static_cast<std::size_t>(Dtype::Float32);
  const bool lacks = !rates.by_class.front().matrix[kTf32];
  const auto lend = [&](ClassRates& some) {
    if (!some.matrix[kTf32]) some.matrix[kTf32] = some.matrix[kSingle];
    if (!some.vector[kTf32]) some.vector[kTf32] = some.vector[kSingle];
  };
  for (ClassRates& some : rates.by_class) lend(some);
  for (auto& [op, some] : rates.by_op) lend(some);
  if (!lacks) return false;
  rates.products[kTf32] = rates.products[kSingle];
  rates.attention[kTf32] = rates.attention[kSingle];
  rates.convolution[kTf32] = rates.convolution[kSingle];
  if (rates.power) rates.power->flop_joules[kTf32] = rates.power->flop_joules[kSingle];
  return true;
}

// What the clock stretches, at the clock that power allows.
void slow_down(const StepSummary& step, const std::vector<KindTime>& times,
               const std::optional<PowerUnit>& unit, StepTime& time) {
  if (!unit) return;
  const double longer =
      longer_by_power(*unit, step, time.time_s, [&](std::size_t i) { return times[i].work; });
  for (std::size_t i = 0; i < step.kinds.size() && longer > 0.0; ++i) {
    const CallKind& kind = step.kinds[i];
    const double more_s = longer * double(kind.count) * clocked_s(kind, times[i].work);
    time.time_s += more_s;
    time.by_phase_s[std::size_t(kind.call.phase)] += more_s;
    time.by_class_s[std::size_t(kind.call.op->op_class)] += more_s;
  }
}

// By a cache of that size, of a call of each kind in the mean. What a measured kernel takes grows
// with its bytes by constant rates, so the mean gives the sum of what the calls take.
std::vector<CallTraffic> mean_traffic(const Trace& trace, const StepSummary& step, double cache) {
  const std::vector<CallTraffic> by_call = call_traffic(trace, std::max(cache, 1.0));
  std::vector<CallTraffic> found(step.kinds.size());
  for (std::size_t i = 0; i < by_call.size(); ++i) {
    const auto kind = std::size_t(step.order[i]);
    const auto count = double(step.kinds[kind].count);
    found[kind].bytes += by_call[i].bytes / count;
    found[kind].far_bytes += by_call[i].far_bytes / count;
    found[kind].large_bytes += by_call[i].large_bytes / count;
    found[kind].large_far_bytes += by_call[i].large_far_bytes / count;
  }
  return found;
}

// By trace, as Steps has them, and by whose cache; none where neither side's kernels were measured.
using Traffic = std::array<std::array<std::vector<CallTraffic>, 2>, 8>;

Traffic find_traffic(const Steps& steps, const Summaries& summaries,
                     const std::array<Model, 2>& sides) {
  Traffic found;
  if (sides[0].rates().kernels.empty() && sides[1].rates().kernels.empty()) return found;
  for (std::size_t place = 0; place < found.size(); ++place) {
    const auto same = std::find(steps.traces.begin(), steps.traces.end(), steps.traces[place]);
    const auto first = std::size_t(same - steps.traces.begin());
    for (std::size_t side = 0; side < 2; ++side) {
      found[place][side] = first < place ? found[first][side]
                                         : mean_traffic(*steps.traces[place], *summaries[place],
                                                        sides[side].rates().cache_bytes);
    }
  }
  return found;
}

struct Game {
  const Summaries& steps;
  const Traffic& traffic;
  Memory& memory;
  std::array<const Model*, 2> sides;  // from, to

  // The step with the causes in `of_to` from `to` and the others from `from`.
  StepTime play(PlayerSet of_to) const {
    const auto side = [&](Cause cause) { return std::size_t((of_to & bit(cause)) != 0); };
    const Model mixed =
        sides[side(Cause::Launch)]->with(mix(sides[0]->rates(), sides[1]->rates(), of_to));
    const Model& link = *sides[side(Cause::Transfers)];
    const std::size_t place =
        Steps::place({side(Cause::Lowering), side(Cause::Dtype), side(Cause::Transfers)});
    const StepSummary& step = *steps[place];
    const std::vector<CallTraffic>& traffic_of = traffic[place][side(Cause::Vector)];
    std::vector<KindTime> times;
    times.reserve(step.kinds.size());
    const std::int64_t held_bytes =
        mixed.rates().paging ? memory.held_bytes(place, side(Cause::Launch), side(Cause::Transfers))
                             : 0;
    const auto rate =
        paging_rate(mixed.rates().paging, held_bytes, [&] { return touched_bytes(step); });
    for (std::size_t i = 0; i < step.kinds.size(); ++i) {
      const CallKind& kind = step.kinds[i];
      const Model& model = kind.call.phase == Phase::Transfer ? link : mixed;
      const auto moved = traffic_of.empty() ? std::nullopt : std::optional(traffic_of[i]);
      const bool is_on_device = kind.placed.place == Place::Device || mixed.rates().is_own_host;
      CallTime time =
          (is_on_device ? model : mixed).call_time(kind.call, kind.cost, kind.placed, moved);
      if (rate && is_on_device) add_paging(time.kernel, *rate, double(kind.cost.bytes()));
      if (is_on_device) time.issue_s = mixed.issue_s(kind.call);
      times.push_back({time.issue_s, time.kernel.seconds, time.kernel.work()});
    }
    StepTime time = step_time(step, times, mixed.host());
    slow_down(step, times, mixed.rates().power, time);
    return time;
  }
};

// Shapley's split of one number of the step, read from the time of each set of players.
template <class Read>
std::vector<double> split(int count, const std::vector<StepTime>& times, Read read) {
  std::vector<double> worth;
  worth.reserve(times.size());
  for (const StepTime& time : times) worth.push_back(read(time));
  return shapley(count, worth);
}

void fill(std::vector<CausePart>& parts, const std::vector<Cause>& playing,
          const std::vector<StepTime>& times) {
  const int count = int(playing.size());
  const auto part = [&](std::size_t i) -> CausePart& {
    return parts[static_cast<std::size_t>(playing[i])];
  };
  const auto whole = split(count, times, [](const StepTime& t) { return t.time_s; });
  for (std::size_t i = 0; i < playing.size(); ++i) part(i).seconds = whole[i];
  for (std::size_t p = 0; p < kPhaseCount; ++p) {
    const auto some = split(count, times, [p](const StepTime& t) { return t.by_phase_s[p]; });
    for (std::size_t i = 0; i < playing.size(); ++i) part(i).by_phase_s[p] = some[i];
  }
  for (std::size_t c = 0; c < kOpClassCount; ++c) {
    const auto some = split(count, times, [c](const StepTime& t) { return t.by_class_s[c]; });
    for (std::size_t i = 0; i < playing.size(); ++i) part(i).by_class_s[c] = some[i];
  }
}

Summaries summarise_all(const Steps& steps) {
  Summaries found;
  for (std::size_t place = 0; place < found.size(); ++place) {
    const Trace* trace = steps.traces[place];
    if (trace->calls().empty()) {
      throw ArgumentError("[explain] trace '" + trace->label() +
                          "' has no calls; needed: at least one");
    }
    const auto same = std::find(steps.traces.begin(), steps.traces.end(), trace);
    const auto first = std::size_t(same - steps.traces.begin());
    found[place] =
        first < place ? found[first] : std::make_shared<const StepSummary>(summarise(*trace));
  }
  return found;
}

// Once where both sides are one device.
void note_assumed_hosts(const Summaries& summaries, const std::array<Model, 2>& sides,
                        std::vector<std::string>& notes) {
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const StepSummary& own = *summaries[Steps::place({side, side, side})];
    const auto note = sides[side].assumed_host(own.placed);
    if (note && std::find(notes.begin(), notes.end(), *note) == notes.end()) notes.push_back(*note);
  }
}

}  // namespace

std::optional<double> Causes::share(const CausePart& part) const {
  if (gap_s() == 0.0) return std::nullopt;
  return part.seconds == 0.0 ? 0.0 : part.seconds / gap_s();
}

std::optional<double> Causes::residual_s() const {
  if (!measured_from_s || !measured_to_s) return std::nullopt;
  return *measured_to_s - *measured_from_s - gap_s();
}

Causes explain(const Steps& steps, const Model& from, const Model& to) {
  check_lacking(from.framework(), *steps.traces.front());
  check_lacking(to.framework(), *steps.traces.back());
  const Summaries summaries = summarise_all(steps);
  check_formats(from, *summaries.front());
  check_formats(to, *summaries.back());
  Causes causes;
  causes.from = target(from);
  causes.to = target(to);
  std::array<Model, 2> sides{from, to};
  const auto is_tf32 = [](const OpCall& call) { return call.dtype == Dtype::Tf32; };
  if (any_kind(summaries, is_tf32)) {
    for (Model& side : sides) {
      Rates rates = side.rates();
      if (!lend_float32_to_tf32(rates)) continue;
      side = side.with(std::move(rates));
      causes.notes.push_back(side.device().id + " has no tf32: its products are float32's");
    }
  }
  note_assumed_hosts(summaries, sides, causes.notes);
  for (const Model* model : {&from, &to}) {
    for (const std::string& setting : model->settings()) {
      causes.notes.push_back(target(*model) + ": " + setting);
    }
  }
  Memory memory{steps, sides};
  const std::vector<Cause> playing = players(steps, summaries, memory, from.rates(), to.rates());
  const Traffic traffic = find_traffic(steps, summaries, sides);
  const Game game{summaries, traffic, memory, {&sides[0], &sides[1]}};
  std::vector<StepTime> times;
  for (PlayerSet set = 0; set < PlayerSet(1) << playing.size(); ++set) {
    PlayerSet of_to = 0;
    for (std::size_t i = 0; i < playing.size(); ++i) {
      if ((set >> i & 1) != 0) of_to |= bit(playing[i]);
    }
    times.push_back(game.play(of_to));
  }
  for (int c = 0; c < kCauseCount; ++c) causes.parts.push_back({static_cast<Cause>(c), 0, {}, {}});
  fill(causes.parts, playing, times);
  causes.from_s = times.front().time_s;
  causes.to_s = times.back().time_s;
  return causes;
}

}  // namespace siliconprof
