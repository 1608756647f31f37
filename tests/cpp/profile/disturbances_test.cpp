#include "siliconprof/profile/disturbances.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace siliconprof {
namespace {

using Notes = std::vector<std::string>;

Notes of_switches(std::optional<double> switches) {
  const std::vector<CounterReading> counters{{"voluntary_switches", "count", 50.0, "", {}},
                                             {"involuntary_switches", "count", switches, "", {}}};
  return disturbance_notes(counters, {});
}

// Two halves of `each` samples that take about 1 s, and `later` s.
Notes of_halves(int each, double later) {
  std::vector<double> samples_s;
  for (int i = 0; i < 2 * each; ++i) {
    samples_s.push_back((i < each ? 1.0 : later) * (1.0 + 0.01 * (i % 3)));
  }
  return disturbance_notes({}, samples_s);
}

TEST(Disturbances, OtherWorkSharesTheProcessors) {
  EXPECT_EQ(of_switches(2.5),
            Notes{"2.5 involuntary context switches a step: other work shared the processors"});
  EXPECT_EQ(of_switches(1.0).size(), 1U);
}

// Steps shorter than a turn of the others: two threads of 60 us take 8 ms where one has to wait.
TEST(Disturbances, ShortStepsThatAreHeldUpTellTheirSwitchesASecond) {
  const std::vector<CounterReading> counters{{"involuntary_switches", "count", 0.4, "", {}}};
  std::vector<double> steps(20, 8e-3);
  EXPECT_TRUE(disturbance_notes(counters, steps).empty()) << "all alike: switches of microseconds";
  steps.front() = 0.0;
  EXPECT_TRUE(disturbance_notes(counters, steps).empty());
  steps.front() = 60e-6;
  EXPECT_EQ(disturbance_notes(counters, steps),
            Notes{"52.6 involuntary context switches a second: other work shared the processors"});
  steps.resize(7);
  EXPECT_TRUE(disturbance_notes(counters, steps).empty()) << "fewer than 3";
}

TEST(Disturbances, NoneBelowASwitchAStepOrWhereNobodyCounted) {
  EXPECT_TRUE(of_switches(0.9).empty());
  EXPECT_TRUE(of_switches(std::nullopt).empty());
  EXPECT_TRUE(disturbance_notes({}, {}).empty());
}

TEST(Disturbances, AMachineThatSlowsDownOrSpeedsUpSaysSo) {
  EXPECT_EQ(of_halves(6, 1.2),
            Notes{"the later half of the samples took 20 % longer than the first: a clock that "
                  "heat or power holds back, or other work that came in between"});
  EXPECT_EQ(of_halves(6, 0.5),
            Notes{"the later half of the samples took 50 % less than the first: it went on "
                  "warming up, or other work ended"});
}

TEST(Disturbances, AChangeThatIsSmallOrOfTooFewSamplesIsNone) {
  EXPECT_TRUE(of_halves(20, 1.04).empty());
  EXPECT_TRUE(of_halves(5, 1.2).empty());
  EXPECT_TRUE(of_halves(6, 1.0).empty());
  const std::vector<double> noisy{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 2, 2};
  EXPECT_TRUE(disturbance_notes({}, noisy).empty()) << "the intervals of both halves meet";
  const std::vector<double> nothing(20, 0.0);
  EXPECT_TRUE(disturbance_notes({}, nothing).empty());
}

}  // namespace
}  // namespace siliconprof
