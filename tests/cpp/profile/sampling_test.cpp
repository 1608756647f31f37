#include "siliconprof/profile/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

// Feeds `time_of(i)` seconds until the rule stops; returns the sampler.
template <class TimeOf>
Sampler run(const Sampling& rule, TimeOf time_of) {
  Sampler sampler(rule);
  double elapsed_s = 0.0;
  for (int i = 0;; ++i) {
    const Sampler::Next next = sampler.next(elapsed_s);
    if (next == Sampler::Next::Stop) return sampler;
    const double step_s = time_of(i);
    elapsed_s += step_s;
    sampler.add(step_s, next);
  }
}

TEST(PaperRule, TakesTenWarmUpsAndTheMeanOfAHundred) {
  const Sampler sampler = run(Sampling::paper(), [](int i) { return i < 10 ? 100.0 : double(i); });
  EXPECT_EQ(sampler.warmups_s().size(), 10U);
  EXPECT_EQ(sampler.samples_s().size(), 100U);
  EXPECT_DOUBLE_EQ(sampler.centre(sampler.samples_s()), (10.0 + 109.0) / 2.0);
  EXPECT_EQ(sampler.stop_reason(), "count: 100 samples as the rule asks");
}

TEST(AdaptiveRule, StopsWhenTheIntervalIsNarrow) {
  const Sampler sampler = run(Sampling::adaptive(0.02, 100.0, 2, 9, 1000, 0.95, 0.0),
                              [](int i) { return 1.0 + 0.001 * (i % 3); });
  EXPECT_EQ(sampler.samples_s().size(), 9U);
  EXPECT_EQ(sampler.stop_reason(), "narrow: interval within 2.00 % after 9 samples");
}

TEST(AdaptiveRule, SpreadsSamplesOverTheLeastTime) {
  constexpr double step_s = 1.0 / 1024.0;  // adds up without rounding
  const auto steady = [](int) { return step_s; };
  const Sampler spread =
      run(Sampling::adaptive(0.02, 100.0, 2, 9, 1000, 0.95, 640 * step_s), steady);
  // One in twenty; nineteen run in between.
  EXPECT_EQ(spread.samples_s().size(), 32U);
  EXPECT_EQ(spread.warmups_s().size(), 2U);
  EXPECT_EQ(spread.stop_reason(), "narrow: interval within 2.00 % after 32 samples");
  // Long calls follow one another.
  const auto slow = [](int) { return 0.1; };
  EXPECT_EQ(run(Sampling::adaptive(0.02, 100.0, 2, 9, 1000, 0.95, 1.5), slow).samples_s().size(),
            15U);
  EXPECT_EQ(run(Sampling::adaptive(0.02, 100.0, 2, 9, 1000, 0.95, 0.5), slow).samples_s().size(),
            9U);
  // A shorter budget is the time that there is.
  const Sampler brief = run(Sampling::adaptive(0.02, 320 * step_s, 0, 9, 1000, 0.95, 10.0), steady);
  EXPECT_EQ(brief.samples_s().size(), 32U);
  EXPECT_EQ(brief.stop_reason(), "time: 32 samples when the budget was spent");
}

TEST(AdaptiveRule, AMachineThatChangesWithinTheLeastTimeIsSeen) {
  // Back to back, nine samples of 1 ms see none of it.
  const auto drifting = [](int i) { return i < 100 ? 1e-3 : 2e-3; };
  const Sampler spread = run(Sampling::adaptive(0.02, 100.0, 0, 9, 1000, 0.95, 0.2), drifting);
  EXPECT_EQ(spread.centre(spread.samples_s()), 2e-3);
  const Sampler close = run(Sampling::adaptive(0.02, 100.0, 0, 9, 1000, 0.95, 0.0), drifting);
  EXPECT_EQ(close.interval(close.samples_s())->hi, 1e-3);
}

TEST(AdaptiveRule, StopsWhenTimeIsOutButOwesTheSamplesOfAnInterval) {
  const auto uneven = [](int i) { return i % 2 ? 1.0 : 2.0; };
  const Sampler sampler = run(Sampling::adaptive(0.02, 6.0, 2, 9, 1000, 0.95, 0.0), uneven);
  EXPECT_EQ(sampler.stop_reason(), "time: 6 samples when the budget was spent");
  EXPECT_TRUE(sampler.interval(sampler.samples_s()));
  const Sampler few = run(Sampling::adaptive(0.02, 4.5, 2, 3, 1000, 0.95, 0.0), uneven);
  EXPECT_EQ(few.samples_s().size(), 3U) << "the rule asks for no more";
}

TEST(AdaptiveRule, OwesTheSamplesOfAnIntervalAtItsConfidence) {
  const auto uneven = [](int i) { return i % 2 ? 1.0 : 2.0; };
  const Sampler sure = run(Sampling::adaptive(0.02, 6.0, 2, 9, 1000, 0.99, 0.0), uneven);
  EXPECT_EQ(sure.samples_s().size(), 8U);
  EXPECT_TRUE(sure.interval(sure.samples_s()));
  const Sampler unsure = run(Sampling::adaptive(0.02, 6.0, 2, 9, 1000, 0.8, 0.0), uneven);
  EXPECT_EQ(unsure.samples_s().size(), 4U);
  EXPECT_TRUE(unsure.interval(unsure.samples_s()));
}

TEST(AdaptiveRule, StopsAtFourBudgetsWhateverItOwes) {
  const Sampler slow =
      run(Sampling::adaptive(0.02, 5.0, 2, 9, 1000, 0.95, 0.0), [](int) { return 12.0; });
  EXPECT_EQ(slow.warmups_s().size(), 1U) << "the budget went on the first warm-up";
  EXPECT_EQ(slow.samples_s().size(), 1U);
  EXPECT_EQ(slow.stop_reason(), "time: 1 samples when the budget was spent");
}

TEST(AdaptiveRule, StopsAtItsMostSamples) {
  const Sampler sampler = run(Sampling::adaptive(1e-6, 0.0, 0, 5, 20, 0.95, 0.0),
                              [](int i) { return i % 2 ? 1.0 : 2.0; });
  EXPECT_EQ(sampler.samples_s().size(), 20U);
}

TEST(AdaptiveRule, CoversTheMedianDespiteLookingOften) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> skewed(0.0, 0.1);  // median 1
  int covered = 0;
  const int trials = 1000;
  for (int trial = 0; trial < trials; ++trial) {
    const Sampler sampler = run(Sampling::adaptive(0.02, 0.0, 0, 9, 400, 0.95, 0.0),
                                [&](int) { return skewed(random); });
    const auto found = sampler.interval(sampler.samples_s());
    covered += found->lo <= 1.0 && 1.0 <= found->hi;
  }
  // Stopping on a narrow interval costs some of the nominal 95 %; few looks keep the loss small.
  EXPECT_GT(covered, trials * 0.90);
}

TEST(FixedRule, TakesExactlySoMany) {
  const Sampler sampler = run(Sampling::fixed(3, 1), [](int) { return 1.0; });
  EXPECT_EQ(sampler.warmups_s().size(), 1U);
  EXPECT_EQ(sampler.samples_s().size(), 3U);
}

TEST(Sampling, SaysWhatTheMostSamplesAreMeasuredAgainst) {
  try {
    check(Sampling::adaptive(0.1, 1, 0, 9, 3, 0.95, 0.0));
    FAIL() << "3 of at least 9";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "[sampling] max_samples is 3; needed: at least min_samples, 9");
  }
}

TEST(Sampling, NamesTheNumberOfSamplesAsWhoeverGaveItDoes) {
  const auto told = [](const Sampling& rule) -> std::string {
    try {
      check(rule);
      return "";
    } catch (const ArgumentError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(told(Sampling::fixed(0, 1)), "[sampling] samples is 0; needed: at least 1");
  EXPECT_EQ(told(Sampling::adaptive(0.1, 1, 0, 0, 3, 0.95, 0.0)),
            "[sampling] min_samples is 0; needed: at least 1");
}

TEST(Sampling, RefusesImpossibleRules) {
  EXPECT_THROW(check(Sampling::fixed(0, 1)), ArgumentError);
  EXPECT_THROW(check(Sampling::fixed(1, -1)), ArgumentError);
  EXPECT_THROW(check(Sampling::adaptive(-0.1, 1, 0, 1, 1, 0.95, 0.0)), ArgumentError);
  EXPECT_THROW(check(Sampling::adaptive(std::nan(""), 1, 0, 1, 1, 0.95, 0.0)), ArgumentError);
  EXPECT_THROW(check(Sampling::adaptive(0.1, -1, 0, 1, 1, 0.95, 0.0)), ArgumentError);
  EXPECT_THROW(check(Sampling::adaptive(0.1, 1, 0, 5, 4, 0.95, 0.0)), ArgumentError);
  EXPECT_THROW(check(Sampling::adaptive(0.1, 1, 0, 1, 1, 0.95, -0.1)), ArgumentError);
  EXPECT_THROW(check(Sampling::adaptive(0.1, 1, 0, 1, 1, 1.0, 0.0)), ArgumentError);
  Sampling unstated = Sampling::paper();
  unstated.statistic = Statistic::Unstated;
  EXPECT_THROW(check(unstated), ArgumentError);
  EXPECT_THROW(parse_statistic("mode"), UnknownNameError);
}

}  // namespace
}  // namespace siliconprof
