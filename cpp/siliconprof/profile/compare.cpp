#include "siliconprof/profile/compare.h"

#include <array>
#include <map>
#include <utility>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 4> kNames{"faster", "slower", "same", "unresolved"};

Interval interval_or_point(const Span& span) {
  return span.interval_s.value_or(Interval{span.wall_s, span.wall_s});
}

Verdict judge(const Gap& gap) {
  const auto [lo, hi] = gap.interval;
  if (lo >= 1.0 - gap.margin && hi <= 1.0 + gap.margin) return Verdict::Same;
  if (hi < 1.0 && gap.ratio < 1.0 - gap.margin) return Verdict::Faster;
  if (lo > 1.0 && gap.ratio > 1.0 + gap.margin) return Verdict::Slower;
  return Verdict::Unresolved;
}

std::vector<const Span*> ops_of(const Profile& profile) {
  std::vector<const Span*> ops;
  for (const Span& span : profile.spans) {
    if (span.kind == SpanKind::Op) ops.push_back(&span);
  }
  return ops;
}

/// The spans that rows are made of, of both sides: ops, or the steps alone where one has none, as
/// what is recorded has.
std::array<std::vector<const Span*>, 2> row_spans(const Profile& from, const Profile& to) {
  std::array<std::vector<const Span*>, 2> found{ops_of(from), ops_of(to)};
  if (found[0].empty() || found[1].empty()) found = {{{&from.step()}, {&to.step()}}};
  return found;
}

// A measurement of too few samples doesn't say how far it may be off; what is recorded counts as
// exact.
bool is_open(const Profile& profile, const Span& span) {
  return profile.origin == Origin::Measured && !span.interval_s;
}

/// None of a whole step.
std::optional<Phase> phase_of(const Span& span) {
  return span.kind == SpanKind::Step ? std::nullopt : std::optional(span.phase);
}

std::vector<GapRow> align(const Profile& from, const Profile& to) {
  using Key = std::pair<std::optional<Phase>, std::string>;
  const auto [spans_from, spans_to] = row_spans(from, to);
  std::map<Key, std::vector<const Span*>> waiting;
  for (const Span* span : spans_to) waiting[{phase_of(*span), span->name}].push_back(span);
  std::map<Key, std::size_t> taken;
  std::vector<GapRow> rows;
  for (const Span* span : spans_from) {
    const Key key{phase_of(*span), span->name};
    GapRow row{span->name, key.first, span->wall_s, std::nullopt, std::nullopt};
    const auto& candidates = waiting[key];
    if (taken[key] < candidates.size()) {
      const Span* match = candidates[taken[key]++];
      row.to_s = match->wall_s;
      if (!is_open(from, *span) && !is_open(to, *match)) {
        const Interval a = interval_or_point(*span);
        const Interval b = interval_or_point(*match);
        row.interval_s = Interval{b.lo - a.hi, b.hi - a.lo};
      }
    }
    rows.push_back(std::move(row));
  }
  for (const auto& [key, spans] : waiting) {
    for (std::size_t i = taken[key]; i < spans.size(); ++i) {
      rows.push_back({key.second, key.first, std::nullopt, spans[i]->wall_s, std::nullopt});
    }
  }
  return rows;
}

// Notes a side without an interval; true when that leaves the verdict open.
bool lacks_interval(const Profile& profile, const char* side, Gap& gap) {
  if (profile.step().interval_s) return false;
  const bool open = is_open(profile, profile.step());
  gap.notes.push_back("'" + std::string(side) + "' (" + std::string(name(profile.origin)) + ", " +
                      profile.device + ") has no interval and " +
                      (open ? "too few samples for a verdict" : "counts as exact"));
  return open;
}

// Notes a mean against a median: slow samples count in the one alone.
void compare_statistics(const Profile& from, const Profile& to, Gap& gap) {
  const bool measured = from.origin == Origin::Measured && to.origin == Origin::Measured;
  if (!measured || from.statistic == to.statistic) return;
  gap.notes.push_back("'from' is a " + std::string(name(from.statistic)) +
                      " of its samples, 'to' a " + std::string(name(to.statistic)) +
                      ": slow samples count in the mean alone");
}

// Of costs that differ: numbers of operations, or what they move where they are as many.
std::string other_kernels(const Cost& from, const Cost& to) {
  if (from.flops() != to.flops()) {
    return "the same work in other kernels: " + std::to_string(from.flops()) + " FLOP against " +
           std::to_string(to.flops());
  }
  return "the same work in another precision or with other options: as many FLOP, and " +
         std::to_string(from.bytes()) + " bytes against " + std::to_string(to.bytes());
}

// Notes other work: as both sides say, or else by its cost; true then. Where a side says neither,
// as a record or an operation does, another name may be the same work's, or a format or a shape of
// the same cost. The same work may be made of other kernels.
bool is_other_work(const Profile& from, const Profile& to, Gap& gap) {
  const bool said = !from.work.empty() && !to.work.empty();
  const bool known = from.step().cost && to.step().cost;
  const bool other_cost = known && *from.step().cost != *to.step().cost;
  const bool other = said ? from.work != to.work : other_cost;
  const std::string names =
      "'" + (said ? from.work : from.label) + "' against '" + (said ? to.work : to.label) + "'";
  if (other) {
    gap.notes.push_back("different work: " + names);
  } else if (!said && from.label != to.label) {
    gap.notes.push_back("whether both did the same work isn't said: " + names);
  } else if (said && other_cost) {
    gap.notes.push_back(other_kernels(*from.step().cost, *to.step().cost));
  }
  return other;
}

/// Whether one prediction stands on both sides: whatever it is off by, it is as much.
bool are_one_prediction(const Profile& from, const Profile& to) {
  return from.origin == Origin::Predicted && to.origin == Origin::Predicted &&
         from.device == to.device && from.framework == to.framework && from.work == to.work &&
         from.label == to.label && from.spans == to.spans;
}

void count_as_exact(Gap& gap) {
  gap.interval = {1.0, 1.0};
  for (GapRow& row : gap.rows) row.interval_s = Interval{0.0, 0.0};
  gap.notes.emplace_back("both are the same prediction");
}

// What a measurement says of itself, as that other work shared the processors, holds for what is
// made of it.
void add_notes(const Profile& profile, const char* side, Gap& gap) {
  if (profile.origin != Origin::Measured) return;
  for (const std::string& note : profile.notes) {
    gap.notes.push_back("'" + std::string(side) + "': " + note);
  }
}

}  // namespace

std::string_view name(Verdict verdict) { return kNames[static_cast<std::size_t>(verdict)]; }

std::string GapRow::summary() const {
  const auto text = [](std::optional<double> s) { return s ? seconds_text(*s) : "nothing"; };
  return "<GapRow " + name + ": " + text(from_s) + " to " + text(to_s) + ">";
}

std::string Gap::summary() const {
  const auto text = [](double r) { return number_text(r, std::chars_format::general, 3); };
  return "<Gap " + std::string(name(verdict)) + ": " + text(ratio) + " (" + text(interval.lo) +
         " to " + text(interval.hi) + ")>";
}

Gap compare(const Profile& from, const Profile& to, double margin) {
  if (!(margin >= 0.0 && margin < 1.0)) {
    throw ArgumentError("[compare] margin is " + number_text(margin) + "; needed: 0 to below 1");
  }
  const Interval a = interval_or_point(from.step());
  const Interval b = interval_or_point(to.step());
  if (from.time_s() <= 0.0 || a.lo <= 0.0) {
    throw ArgumentError("[compare] the time of 'from' (" + from.label +
                        ") or its interval is not above 0; needed: a positive time to divide by");
  }
  Gap gap;
  gap.margin = margin;
  gap.ratio = to.time_s() / from.time_s();
  gap.interval = {b.lo / a.hi, b.hi / a.lo};
  gap.rows = align(from, to);
  if (are_one_prediction(from, to)) count_as_exact(gap);
  const bool other_work = is_other_work(from, to, gap);
  const bool from_open = lacks_interval(from, "from", gap);
  const bool to_open = lacks_interval(to, "to", gap);
  gap.verdict = other_work || from_open || to_open ? Verdict::Unresolved : judge(gap);
  compare_statistics(from, to, gap);
  add_notes(from, "from", gap);
  add_notes(to, "to", gap);
  return gap;
}

}  // namespace siliconprof
