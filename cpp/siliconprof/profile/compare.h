#pragma once

// Two profiles side by side.

#include <optional>
#include <string>
#include <vector>

#include "siliconprof/profile/profile.h"

namespace siliconprof {

enum class Verdict : std::uint8_t { Faster, Slower, Same, Unresolved };
/// "faster", "slower", "same", "unresolved".
std::string_view name(Verdict verdict);

/// One span of either side; none where the other side has no such span.
struct GapRow {
  std::string name;
  std::optional<Phase> phase;  // none for a whole step
  std::optional<double> from_s;
  std::optional<double> to_s;
  std::optional<Interval> interval_s;  // of to − from; none where a measured side has none

  /// to − from; an absent side counts as 0.
  double difference_s() const { return to_s.value_or(0.0) - from_s.value_or(0.0); }
  /// "<GapRow linear: 1.234e-03 s to 1.100e-03 s>".
  std::string summary() const;
  bool operator==(const GapRow&) const = default;
};

struct Gap {
  Verdict verdict = Verdict::Unresolved;
  double ratio = 1.0;  // to / from: below 1, `to` is faster
  Interval interval{1.0, 1.0};
  double margin = 0.0;
  std::vector<GapRow> rows;
  std::vector<std::string> notes;

  /// "<Gap faster: 0.52 (0.48 to 0.57)>".
  std::string summary() const;
  bool operator==(const Gap&) const = default;
};

/// How `to` compares with `from`. The ratio's interval is the widest that both intervals allow.
/// same: it lies within 1 ± margin; faster or slower: it lies beyond 1 and the ratio beyond the
/// margin; unresolved: the intervals don't tell, the work differs, as both sides say it or by its
/// cost, or a measured side has too few samples for an interval. A recorded side without one counts
/// as exact, and a prediction beside itself. Notes say which of these happened. Rows align op spans
/// by phase and name, in order of occurrence. Throws ArgumentError for a margin outside [0, 1) or a
/// time of 0 in `from`.
Gap compare(const Profile& from, const Profile& to, double margin);

}  // namespace siliconprof
