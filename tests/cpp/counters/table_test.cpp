#include "siliconprof/counters/table.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace siliconprof {
namespace {

TEST(CounterTable, HasUniqueNamesAndCompleteRows) {
  std::set<std::string_view> seen;
  for (const CounterSource* source : counter_sources()) {
    for (const CounterInfo& info : source->counters()) {
      EXPECT_TRUE(seen.insert(info.name).second) << info.name;
      for (const auto text : {info.unit, info.scope, info.source, info.accuracy}) {
        EXPECT_FALSE(text.empty()) << info.name;
      }
    }
  }
}

TEST(CounterTable, HasWhatTheStepOfAProfileNeeds) {
  const std::set<std::string_view> names(counter_names().begin(), counter_names().end());
  for (const auto needed : {"wall_s", "cpu_s", "minor_faults", "major_faults", "rss_bytes",
                            "peak_rss_bytes", "voluntary_switches", "involuntary_switches"}) {
    EXPECT_TRUE(names.contains(needed)) << needed;
  }
}

TEST(CounterTable, AnUnavailableSourceSaysWhyAndWhatHelps) {
  for (const CounterSource* source : counter_sources()) {
    const Availability state = source->availability();
    EXPECT_EQ(state.available, state.reason.empty());
    EXPECT_EQ(state.available, state.remedy.empty());
  }
}

}  // namespace
}  // namespace siliconprof
