#include "siliconprof/profile/spans.h"

#include <gtest/gtest.h>

#include <string>

namespace siliconprof {
namespace {

Span named(const std::string& name, double wall_s) {
  Span span;
  span.name = name;
  span.wall_s = wall_s;
  return span;
}

/// A step of 3 s known at once and its two calls made later; counts how often.
Spans made_later(int& times) {
  return {{named("step", 3.0)}, [&times] {
            ++times;
            return Spans::All{named("step", 2.9), named("a", 1.0), named("b", 2.0)};
          }};
}

TEST(Spans, OfSingleCallsAreMadeOnceAndWhenSomebodyLooks) {
  int times = 0;
  const Spans spans = made_later(times);
  const Spans copy = spans;
  EXPECT_EQ(spans.front().wall_s, 3.0);
  EXPECT_EQ(spans.outline().size(), 1U);
  EXPECT_FALSE(spans.empty());
  EXPECT_EQ(times, 0);
  EXPECT_EQ(copy.size(), 3U);
  EXPECT_EQ(spans[2].name, "b");
  EXPECT_EQ(spans.back().name, "b");
  EXPECT_EQ(times, 1);
}

TEST(Spans, TheOutlineStaysAsItWas) {
  int times = 0;
  const Spans spans = made_later(times);
  EXPECT_EQ(spans[0].wall_s, 3.0);
  EXPECT_EQ(spans.all().front(), spans.front());
}

TEST(Spans, AreEqualByWhatTheyHold) {
  int times = 0;
  const Spans later = made_later(times);
  Spans now(Spans::All{named("step", 3.0), named("a", 1.0), named("b", 2.0)});
  EXPECT_EQ(later, now);
  now.edit()[1].wall_s = 1.5;
  EXPECT_FALSE(later == now);
}

TEST(Spans, ThatAreChangedAreOnesOwn) {
  int times = 0;
  const Spans spans = made_later(times);
  Spans changed = spans;
  changed.edit().pop_back();
  changed.edit()[0].wall_s = 4.0;
  EXPECT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed.front().wall_s, 4.0);
  EXPECT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans.front().wall_s, 3.0);
}

TEST(Spans, NoneAreEmpty) {
  const Spans none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size(), 0U);
}

}  // namespace
}  // namespace siliconprof
