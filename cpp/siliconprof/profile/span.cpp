#include "siliconprof/profile/span.h"

#include <algorithm>

#include "siliconprof/core/error.h"
#include "siliconprof/core/number_text.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, kSpanKindCount> kKindNames{"step", "phase", "op"};
constexpr std::array<std::string_view, kTermCount> kTermNames{
    "matrix", "vector", "bandwidth", "launch", "paging", "transfers", "host optimizer"};

}  // namespace

std::string_view name(SpanKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

SpanKind parse_span_kind(std::string_view text) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == text) return static_cast<SpanKind>(i);
  }
  throw_unknown_name("span", "kind", text, kKindNames);
}

std::string_view name(Term term) { return kTermNames[static_cast<std::size_t>(term)]; }

std::span<const std::string_view> term_names() { return kTermNames; }

Terms parse_terms(const std::map<std::string, double>& named) {
  Terms terms{};
  for (const auto& [term, seconds] : named) {
    const auto found = std::find(kTermNames.begin(), kTermNames.end(), term);
    if (found == kTermNames.end()) throw_unknown_name("span", "term", term, kTermNames);
    terms[std::size_t(found - kTermNames.begin())] = seconds;
  }
  return terms;
}

std::string Span::summary() const {
  return "<Span " + std::string(siliconprof::name(kind)) + " '" + name +
         "': " + seconds_text(wall_s) + ">";
}

std::string seconds_text(double seconds) {
  return number_text(seconds, std::chars_format::scientific, 3) + " s";
}

}  // namespace siliconprof
