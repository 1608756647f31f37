#include "siliconprof/profile/compare.h"

#include <gtest/gtest.h>

#include "profile/made_profile.h"
#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

Verdict verdict(double from_s, double to_s, double spread) {
  return compare(made_profile(from_s, {}, spread), made_profile(to_s, {}, spread), 0.02).verdict;
}

TEST(Compare, TellsFasterFromSlower) {
  EXPECT_EQ(verdict(2.0, 1.0, 0.05), Verdict::Faster);
  EXPECT_EQ(verdict(1.0, 2.0, 0.05), Verdict::Slower);
}

TEST(Compare, SaysSameOnlyWithPower) {
  EXPECT_EQ(verdict(1.0, 1.001, 0.005), Verdict::Same);
  EXPECT_EQ(verdict(1.0, 1.001, 0.1), Verdict::Unresolved);
}

TEST(Compare, LeavesOverlapsUnresolved) {
  EXPECT_EQ(verdict(1.0, 1.05, 0.05), Verdict::Unresolved);
}

TEST(Compare, RatioIsToOverFromWithTheWidestInterval) {
  const Gap gap = compare(made_profile(2.0, {}, 0.1), made_profile(1.0, {}, 0.1), 0.02);
  EXPECT_DOUBLE_EQ(gap.ratio, 0.5);
  EXPECT_DOUBLE_EQ(gap.interval.lo, 0.9 / 2.2);
  EXPECT_DOUBLE_EQ(gap.interval.hi, 1.1 / 1.8);
  EXPECT_TRUE(gap.notes.empty());
}

TEST(Compare, OnePredictionIsTheSameAsItself) {
  Profile predicted = made_profile(2.0, {{"matmul", 2.0}}, 0.3);
  EXPECT_EQ(compare(predicted, predicted, 0.02).verdict, Verdict::Unresolved) << "measured twice";
  predicted.origin = Origin::Predicted;
  const Gap gap = compare(predicted, predicted, 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Same);
  EXPECT_EQ(gap.interval, (Interval{1.0, 1.0}));
  EXPECT_EQ(gap.rows[0].interval_s, (Interval{0.0, 0.0}));
  EXPECT_EQ(gap.notes, std::vector<std::string>{"both are the same prediction"});
  Profile other = predicted;
  other.device = "another";
  EXPECT_EQ(compare(predicted, other, 0.02).verdict, Verdict::Unresolved);
  other = predicted;
  other.framework = "another";
  EXPECT_EQ(compare(predicted, other, 0.02).verdict, Verdict::Unresolved);
  // A device with a number set has the same name and other times.
  other = predicted;
  other.spans.edit().front().wall_s *= 1.001;
  EXPECT_EQ(compare(predicted, other, 0.02).verdict, Verdict::Unresolved);
}

TEST(Compare, LeavesMeasurementsWithoutAnIntervalUnresolved) {
  const Gap gap = compare(made_profile(2.0, {}, 0.1), made_profile(1.0, {}), 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Unresolved);
  ASSERT_EQ(gap.notes.size(), 1U);
  EXPECT_EQ(gap.notes[0], "'to' (measured, cpu) has no interval and too few samples for a verdict");
}

TEST(Compare, GivesADifferenceNoIntervalWhereAMeasuredSideHasNone) {
  const Profile single = made_profile(2.0, {{"matmul", 2.0}});
  const Profile known = made_profile(1.0, {{"matmul", 1.0}}, 0.1);
  EXPECT_FALSE(compare(single, known, 0.02).rows[0].interval_s);
  EXPECT_FALSE(compare(known, single, 0.02).rows[0].interval_s);
  EXPECT_TRUE(compare(known, known, 0.02).rows[0].interval_s);
  Profile recorded = single;
  recorded.origin = Origin::Recorded;
  const auto exact = compare(known, recorded, 0.02).rows[0].interval_s;
  ASSERT_TRUE(exact);
  EXPECT_DOUBLE_EQ(exact->lo, 2.0 - 1.1);
  EXPECT_DOUBLE_EQ(exact->hi, 2.0 - 0.9);
}

TEST(Compare, SaysThatAMeanStandsAgainstAMedian) {
  Profile mean = made_profile(2.0, {}, 0.1);
  mean.statistic = Statistic::Mean;
  const Gap gap = compare(mean, made_profile(1.0, {}, 0.1), 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Faster);
  ASSERT_EQ(gap.notes.size(), 1U);
  EXPECT_EQ(gap.notes[0],
            "'from' is a mean of its samples, 'to' a median: slow samples count in the mean alone");
  Profile predicted = made_profile(1.0, {}, 0.1);
  predicted.origin = Origin::Predicted;
  EXPECT_TRUE(compare(mean, predicted, 0.02).notes.empty());
}

TEST(Compare, SaysWhatMeasurementsSayOfThemselves) {
  Profile disturbed = made_profile(2.0, {}, 0.1);
  disturbed.notes = {"2.0 involuntary context switches a step: other work shared the processors"};
  Profile predicted = made_profile(1.0, {}, 0.1);
  predicted.origin = Origin::Predicted;
  predicted.notes = {"energy is the board's alone"};
  const Gap gap = compare(disturbed, predicted, 0.02);
  EXPECT_EQ(gap.notes, std::vector<std::string>{"'from': " + disturbed.notes[0]});
}

TEST(Compare, TakesARecordedTimeAsExactAndSaysSo) {
  Profile recorded = made_profile(1.0, {});
  recorded.origin = Origin::Recorded;
  recorded.label = "table";
  const Gap gap = compare(made_profile(2.0, {}, 0.1), recorded, 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Faster);
  ASSERT_EQ(gap.notes.size(), 2U);
  EXPECT_EQ(gap.notes[0], "whether both did the same work isn't said: 'made' against 'table'");
  EXPECT_EQ(gap.notes[1], "'to' (recorded, cpu) has no interval and counts as exact");
}

TEST(Compare, GivesNoVerdictOnDifferentWork) {
  Profile small = made_profile(1.0, {}, 0.1);
  Profile large = made_profile(2.0, {}, 0.1);
  small.spans.edit()[0].cost = Cost{.matrix_flops = 10};
  large.spans.edit()[0].cost = Cost{.matrix_flops = 20};
  const Gap gap = compare(large, small, 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Unresolved);
  EXPECT_EQ(gap.notes.size(), 1U);
}

TEST(Compare, SaysThatOperationsOfTheSameCostHaveOtherNames) {
  Profile wide = made_profile(1.0, {}, 0.1);
  Profile narrow = made_profile(2.0, {}, 0.1);
  for (Profile* profile : {&wide, &narrow}) {
    profile->spans.edit()[0].cost = Cost{.matrix_flops = 10};
  }
  EXPECT_TRUE(compare(narrow, wide, 0.02).notes.empty());
  narrow.label = "product tf32";
  const Gap gap = compare(narrow, wide, 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Faster);
  ASSERT_EQ(gap.notes.size(), 1U);
  EXPECT_EQ(gap.notes[0],
            "whether both did the same work isn't said: 'product tf32' against 'made'");
}

TEST(Compare, JudgesTheSameWorkInOtherKernelsAndSaysSo) {
  Profile fused = made_profile(1.0, {}, 0.1);
  Profile apart = made_profile(2.0, {}, 0.1);
  fused.spans.edit()[0].cost = Cost{.matrix_flops = 10};
  apart.spans.edit()[0].cost = Cost{.matrix_flops = 12};
  fused.work = apart.work = "step batch=1";
  const Gap gap = compare(apart, fused, 0.02);
  EXPECT_EQ(gap.verdict, Verdict::Faster);
  ASSERT_EQ(gap.notes.size(), 1U);
  EXPECT_EQ(gap.notes[0], "the same work in other kernels: 12 FLOP against 10");
  // As in another precision, or with its optimizer elsewhere.
  apart.spans.edit()[0].cost = Cost{.matrix_flops = 10, .bytes_read = 7, .bytes_written = 1};
  EXPECT_EQ(compare(apart, fused, 0.02).notes,
            std::vector<std::string>{"the same work in another precision or with other options: as "
                                     "many FLOP, and 8 bytes against 0"});
  fused.work = "step batch=2";
  const Gap other = compare(apart, fused, 0.02);
  EXPECT_EQ(other.verdict, Verdict::Unresolved);
  ASSERT_EQ(other.notes.size(), 1U);
  EXPECT_EQ(other.notes[0], "different work: 'step batch=1' against 'step batch=2'");
}

TEST(Compare, AlignsOpsByPhaseAndNameInOrder) {
  const Gap gap =
      compare(made_profile(6.0, {{"matmul", 1.0}, {"add", 2.0}, {"matmul", 3.0}}),
              made_profile(9.0, {{"matmul", 2.0}, {"matmul", 4.0}, {"copy", 3.0}}), 0.0);
  ASSERT_EQ(gap.rows.size(), 4U);
  EXPECT_EQ(gap.rows[0].to_s, 2.0);
  EXPECT_FALSE(gap.rows[1].to_s);
  EXPECT_DOUBLE_EQ(gap.rows[1].difference_s(), -2.0);
  EXPECT_EQ(gap.rows[2].from_s, 3.0);
  EXPECT_EQ(gap.rows[2].to_s, 4.0);
  EXPECT_EQ(gap.rows[3].name, "copy");
  EXPECT_DOUBLE_EQ(gap.rows[3].difference_s(), 3.0);
  EXPECT_EQ(gap.rows[0].phase, Phase::Forward);
  EXPECT_EQ(gap.rows[0].summary(), "<GapRow matmul: 1.000e+00 s to 2.000e+00 s>");
  EXPECT_EQ(gap.rows[1].summary(), "<GapRow add: 2.000e+00 s to nothing>");
}

TEST(Compare, UsesTheStepWhereThereAreNoOps) {
  const Gap gap = compare(made_profile(2.0, {}), made_profile(1.0, {}), 0.02);
  ASSERT_EQ(gap.rows.size(), 1U);
  EXPECT_EQ(gap.rows[0].name, "step");
  EXPECT_FALSE(gap.rows[0].phase) << "the whole step is in none";
}

TEST(Compare, UsesTheStepsWhereOneSideHasNoOps) {
  const Profile whole = made_profile(3.0, {{"matmul", 1.0}, {"add", 2.0}});
  for (const auto& [from, to] :
       {std::pair{whole, made_profile(1.0, {})}, std::pair{made_profile(3.0, {}), whole}}) {
    const Gap gap = compare(from, to, 0.02);
    ASSERT_EQ(gap.rows.size(), 1U);
    EXPECT_EQ(gap.rows[0].from_s, from.time_s());
    EXPECT_EQ(gap.rows[0].to_s, to.time_s());
  }
}

TEST(Compare, RefusesABadMarginAndATimeOfZero) {
  const Profile fine = made_profile(1.0, {});
  EXPECT_THROW(compare(fine, fine, -0.1), ArgumentError);
  EXPECT_THROW(compare(fine, fine, 1.0), ArgumentError);
  EXPECT_THROW(compare(made_profile(0.0, {}), fine, 0.02), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
