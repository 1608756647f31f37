#include "siliconprof/profile/profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "profile/made_profile.h"
#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Profile, ShowsTheUnattributedRemainderWithItsSign) {
  EXPECT_DOUBLE_EQ(made_profile(10.0, {{"a", 4.0}, {"b", 5.0}}).unattributed_s(), 1.0);
  EXPECT_DOUBLE_EQ(made_profile(8.0, {{"a", 4.0}, {"b", 5.0}}).unattributed_s(), -1.0);
}

TEST(Profile, PhasesThatDontOccurAreAbsentWithAReason) {
  const Profile profile = made_profile(1.0, {{"a", 1.0}});
  EXPECT_EQ(profile.phase_s(Phase::Forward), 1.0);
  EXPECT_FALSE(profile.phase_s(Phase::Optimizer));
  EXPECT_EQ(profile.reason("optimizer_s"), "the trace has no optimizer phase");
  EXPECT_EQ(profile.reason("forward_s"), "");
  EXPECT_NE(profile.reason("energy_joules").find("nothing counts energy"), std::string::npos);
}

TEST(Profile, ReasonsDependOnTheOrigin) {
  Profile profile = made_profile(1.0, {{"a", 1.0}});
  EXPECT_EQ(profile.reason("peak_memory_bytes"),
            "this profile is measured: memory by tensor is predicted; counters has rss_bytes and "
            "peak_rss_bytes");
  profile.origin = Origin::Recorded;
  EXPECT_EQ(profile.reason("memory_timeline"),
            "this profile is recorded and the source gives no memory");
  EXPECT_EQ(profile.reason("optimizer_s"),
            "this profile is recorded and the source gives no phases");
  EXPECT_EQ(profile.reason("flops"), "this profile is recorded and the source gives no cost");
}

TEST(Profile, AnIntervalIsMissingWithItsValueOrAlone) {
  Profile profile = made_profile(1.0, {{"a", 1.0}});
  EXPECT_EQ(profile.reason("energy_interval_joules"), profile.reason("energy_joules"));
  profile.energy_joules = 2.0;
  EXPECT_EQ(profile.reason("energy_interval_joules"),
            "this profile is measured: it is counted once, over all passes");
  profile.energy_interval_joules = Interval{1.0, 3.0};
  EXPECT_EQ(profile.reason("energy_interval_joules"), "");
  profile.origin = Origin::Recorded;
  profile.peak_memory_bytes = 5;
  EXPECT_EQ(profile.reason("peak_memory_interval_bytes"),
            "this profile is recorded and the source gives no interval");
}

TEST(Profile, ATimesIntervalIsMissingForWhatItsOriginMayLack) {
  Profile profile = made_profile(1.0, {{"a", 1.0}});
  ASSERT_FALSE(profile.step().interval_s);
  EXPECT_EQ(profile.reason("interval"), "too few samples: a longer budget takes more");
  profile.origin = Origin::Recorded;
  EXPECT_EQ(profile.reason("interval"),
            "this profile is recorded and the source gives no interval");
  profile.spans.edit()[0].interval_s = Interval{0.5, 2.0};
  EXPECT_EQ(profile.reason("interval"), "");
}

TEST(Profile, ReasonsOfCountersComeFromTheirReadings) {
  Profile profile = made_profile(1.0, {{"a", 1.0}});
  profile.counters.push_back({"rss_bytes", "bytes", std::nullopt, "no /proc", CounterKind::Level});
  EXPECT_EQ(profile.reason("rss_bytes"), "no /proc");
  EXPECT_THROW(profile.reason("rss"), UnknownNameError);
}

TEST(Profile, PageFaultsAreMinorPlusMajorOrAbsent) {
  Profile profile = made_profile(1.0, {{"a", 1.0}});
  EXPECT_FALSE(profile.page_faults());
  profile.counters.push_back({"minor_faults", "count", 5.0, "", CounterKind::Delta});
  profile.counters.push_back({"major_faults", "count", 2.0, "", CounterKind::Delta});
  EXPECT_EQ(profile.page_faults(), 7.0);
  profile.counters.back().value.reset();
  EXPECT_FALSE(profile.page_faults());
}

TEST(Profile, PredictedPageFaultsAreTheirCounters) {
  Profile profile = made_profile(1.0, {{"a", 1.0}});
  profile.origin = Origin::Predicted;
  profile.counters.push_back({"page_faults", "count", 3e7, "", CounterKind::Delta});
  EXPECT_EQ(profile.page_faults(), 3e7);
  EXPECT_EQ(profile.reason("page_faults"), "");
}

TEST(Profile, OriginsAreReadByName) {
  for (const Origin origin : {Origin::Measured, Origin::Predicted, Origin::Recorded}) {
    EXPECT_EQ(parse_origin(name(origin)), origin);
  }
  EXPECT_THROW(parse_origin("guessed"), UnknownNameError);
}

TEST(CheckProfile, RefusesBrokenTreesAndTimes) {
  const Profile good = made_profile(1.0, {{"a", 1.0}}, 0.1);
  EXPECT_NO_THROW(check(good, "t"));
  Profile bad = good;
  bad.spans.edit().clear();
  EXPECT_THROW(check(bad, "t"), RecordError);
  bad = good;
  bad.spans.edit()[2].parent = 2;
  EXPECT_THROW(check(bad, "t"), RecordError);
  bad = good;
  bad.spans.edit()[1].parent = -1;
  EXPECT_THROW(check(bad, "t"), RecordError);
  for (const double wrong : {-1.0, std::nan(""), double{INFINITY}}) {
    bad = good;
    bad.spans.edit()[0].wall_s = wrong;
    EXPECT_THROW(check(bad, "t"), RecordError) << wrong;
  }
  bad = good;
  bad.spans.edit()[0].interval_s = Interval{2.0, 1.0};
  EXPECT_THROW(check(bad, "t"), RecordError);
  for (auto which : {&Profile::energy_interval_joules, &Profile::peak_memory_interval_bytes}) {
    bad = good;
    bad.*which = Interval{1.0, 2.0};
    EXPECT_NO_THROW(check(bad, "t"));
    bad.*which = Interval{2.0, 1.0};
    EXPECT_THROW(check(bad, "t"), RecordError);
  }
}

TEST(Profile, SummarySaysOriginWorkMachineAndTime) {
  EXPECT_EQ(made_profile(0.25, {}).summary(), "<Profile measured 'made' on cpu (): 2.500e-01 s>");
}

}  // namespace
}  // namespace siliconprof
