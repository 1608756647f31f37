#include "siliconprof/profile/span.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(SpanKind, NamesAndParsingAreInverse) {
  for (const SpanKind kind : {SpanKind::Step, SpanKind::Phase, SpanKind::Op}) {
    EXPECT_EQ(parse_span_kind(name(kind)), kind);
  }
  EXPECT_THROW(parse_span_kind("layer"), UnknownNameError);
}

TEST(Terms, AreReadByName) {
  const Terms terms = parse_terms({{"launch", 1.0}, {"matrix", 2.0}});
  EXPECT_EQ(terms[static_cast<std::size_t>(Term::Launch)], 1.0);
  EXPECT_EQ(terms[static_cast<std::size_t>(Term::Matrix)], 2.0);
  EXPECT_EQ(terms[static_cast<std::size_t>(Term::Bandwidth)], 0.0);
  EXPECT_THROW(parse_terms({{"magic", 1.0}}), UnknownNameError);
}

TEST(Span, ItsSummaryIsKindNameAndTime) {
  Span span;
  span.name = "linear";
  span.wall_s = 1.2345e-5;
  EXPECT_EQ(span.summary(), "<Span op 'linear': 1.234e-05 s>");
}

TEST(Terms, HaveOneNameEach) { EXPECT_EQ(term_names().size(), std::size_t(kTermCount)); }

}  // namespace
}  // namespace siliconprof
