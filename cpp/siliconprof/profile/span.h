#pragma once

// One stretch of a profile: the step, a phase of it, or one op.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "siliconprof/core/quantile.h"
#include "siliconprof/ops/call.h"
#include "siliconprof/ops/cost.h"

namespace siliconprof {

enum class SpanKind : std::uint8_t { Step, Phase, Op };
inline constexpr int kSpanKindCount = 3;
/// "step", "phase", "op".
std::string_view name(SpanKind kind);
/// Throws UnknownNameError.
SpanKind parse_span_kind(std::string_view text);

/// What a predicted time is made of. Matrix and vector arithmetic and memory traffic overlap, so
/// the time is at most their sum. Transfers and updates on a host overlap with all else.
enum class Term : std::uint8_t {
  Matrix,
  Vector,
  Bandwidth,
  Launch,
  Paging,
  Transfers,
  HostOptimizer
};
inline constexpr int kTermCount = 7;
/// "matrix", "vector", "bandwidth", "launch", "paging", "transfers", "host optimizer".
std::string_view name(Term term);
std::span<const std::string_view> term_names();
/// Of a kernel's arithmetic.
inline Term arithmetic_of(const Cost& cost) {
  return cost.matrix_flops > 0 ? Term::Matrix : Term::Vector;
}

/// Seconds by term.
using Terms = std::array<double, kTermCount>;
inline double& at(Terms& terms, Term term) { return terms[static_cast<std::size_t>(term)]; }
inline double at(const Terms& terms, Term term) { return terms[static_cast<std::size_t>(term)]; }

/// Terms by name; those not named are 0. Throws UnknownNameError.
Terms parse_terms(const std::map<std::string, double>& named);

struct Span {
  std::string name;
  SpanKind kind = SpanKind::Op;
  Phase phase = Phase::Forward;
  std::int32_t parent = -1;  // index of the enclosing span; -1 at the root
  std::int32_t call = -1;    // index into Trace::calls; -1 for steps and phases
  double wall_s = 0.0;
  std::optional<Interval> interval_s;  // none when unknown (recorded) or too few samples
  std::vector<double> samples_s;       // measured: every sample; else empty
  std::optional<Terms> terms;          // predicted: seconds by term; else none
  std::optional<Cost> cost;            // none when nobody says what was done (recorded)

  bool operator==(const Span&) const = default;

  /// "<Span op 'linear': 1.23e-05 s>".
  std::string summary() const;
};

/// "1.234e-05 s".
std::string seconds_text(double seconds);

}  // namespace siliconprof
