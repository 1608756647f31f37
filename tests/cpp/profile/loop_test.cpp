#include "siliconprof/profile/loop.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/clock.h"
#include "siliconprof/core/error.h"
#include "siliconprof/core/interrupt.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/passes/replicate.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

// Measures on a clock that each call advances by a given time, and each step by a gap.
class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(std::vector<double> call_times_s, double gap_s = 0.0)
      : call_times_s_(std::move(call_times_s)), gap_s_(gap_s) {}

  Origin origin() const override { return Origin::Measured; }
  const std::string& device() const override { return name_; }
  const std::string& framework() const override { return name_; }
  void execute(const OpCall&, Span& span) override {
    if (interrupt_at_ > 0 && ++executed_ >= interrupt_at_) throw Interrupted{};
    span.wall_s = call_times_s_[next_++ % call_times_s_.size()];
    clock_.advance(span.wall_s + gap_s_);
  }
  double now_s() override { return clock_.now_s(); }

  void interrupt_at(int call) { interrupt_at_ = call; }

 private:
  FakeClock clock_;
  std::vector<double> call_times_s_;
  double gap_s_;
  std::string name_ = "fake";
  std::size_t next_ = 0;
  int executed_ = 0;
  int interrupt_at_ = 0;
};

Trace two_products() {
  return single_op("matmul", {{"m", 2}, {"k", 3}, {"n", 4}}, Dtype::Float32, {}, true);
}

TEST(Loop, BuildsAStepItsPhasesAndItsOps) {
  FakeBackend backend({1.0, 2.0});
  const Profile found = profile(two_products(), backend, {}, Sampling::fixed(3, 1));
  ASSERT_EQ(found.spans.size(), 4U);
  EXPECT_EQ(found.spans[0].kind, SpanKind::Step);
  EXPECT_EQ(found.spans[1].name, "backward");
  EXPECT_EQ(found.spans[2].name, "matmul");
  EXPECT_EQ(found.spans[3].parent, 1);
  EXPECT_DOUBLE_EQ(found.time_s(), 3.0);
  EXPECT_DOUBLE_EQ(found.phase_s(Phase::Backward).value(), 3.0);
  EXPECT_NO_THROW(check(found, "loop"));
}

TEST(Loop, KeepsEverySampleAtEveryLevel) {
  FakeBackend backend({1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
  const Profile found = profile(two_products(), backend, {}, Sampling::fixed(2, 1));
  EXPECT_EQ(found.warmups_s, (std::vector<double>{3.0}));
  EXPECT_EQ(found.spans[0].samples_s, (std::vector<double>{7.0, 11.0}));
  EXPECT_EQ(found.spans[1].samples_s, (std::vector<double>{7.0, 11.0}));
  EXPECT_EQ(found.spans[2].samples_s, (std::vector<double>{3.0, 5.0}));
  EXPECT_EQ(found.spans[3].samples_s, (std::vector<double>{4.0, 6.0}));
}

TEST(Loop, ShowsTimeBetweenOpsAsUnattributed) {
  FakeBackend backend({1.0}, 0.25);
  const Profile found = profile(two_products(), backend, {}, Sampling::fixed(1, 0));
  EXPECT_DOUBLE_EQ(found.time_s(), 2.5);
  EXPECT_DOUBLE_EQ(found.unattributed_s(), 0.5);
}

TEST(Loop, CarriesCostMemoryRuleAndCounters) {
  FakeBackend backend({1.0});
  const Trace trace = two_products();
  constexpr std::array<std::string_view, 2> kCounters{"minor_faults", "rss_bytes"};
  const Profile found = profile(trace, backend, kCounters, Sampling::paper());
  EXPECT_EQ(found.step().cost, trace.cost());
  EXPECT_EQ(found.spans[1].cost, trace.cost());
  EXPECT_FALSE(found.peak_memory_bytes) << "liveness is arithmetic, not a measurement";
  EXPECT_FALSE(found.reason("peak_memory_bytes").empty());
  EXPECT_TRUE(found.memory_timeline.points().empty());
  EXPECT_EQ(found.sampling, "paper");
  EXPECT_EQ(found.statistic, Statistic::Mean);
  EXPECT_EQ(found.stop_reason, "count: 100 samples as the rule asks");
  ASSERT_EQ(found.counters.size(), 2U);
  EXPECT_EQ(found.counters[0].name, "minor_faults");
  EXPECT_GT(found.counters[1].value.value_or(0.0), 1e6) << "a level is not divided by the steps";
}

TEST(Loop, CountsNoFaultsOfItsOwn) {
  const Trace add = single_op("add", {{"n", 64}}, Dtype::Float32, {}, false);
  FakeBackend backend({1.0});
  constexpr std::array<std::string_view, 1> kCounters{"minor_faults"};
  // Samples of a thousand calls take 8 MB, whose pages are touched in the course of it.
  const Profile found =
      profile(replicate(add, 128, 8, true), backend, kCounters, Sampling::fixed(1000, 1));
  EXPECT_LT(found.counters[0].value.value(), 0.1);
}

TEST(Loop, SaysWhatIsUnusual) {
  std::vector<double> slowing(20, 1.0);
  slowing.resize(40, 2.0);
  FakeBackend slow(slowing);
  const Trace add = single_op("add", {{"n", 64}}, Dtype::Float32, {}, false);
  const Profile found = profile(add, slow, {}, Sampling::fixed(40, 0));
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0].rfind("the later half of the samples took 100 % longer", 0), 0U);
  FakeBackend steady({1.0});
  EXPECT_TRUE(profile(add, steady, {}, Sampling::fixed(40, 0)).notes.empty());
  const Sampling unsure = Sampling::adaptive(0.02, 0.0, 0, 9, 20, 0.5, 0.0);
  EXPECT_EQ(profile(add, steady, {}, unsure).notes,
            std::vector<std::string>{"intervals have a confidence of 50 %"});
}

TEST(Loop, AnInterruptComesThroughAtOnce) {
  FakeBackend backend({1.0});
  backend.interrupt_at(5);
  EXPECT_THROW(profile(two_products(), backend, {}, Sampling::paper()), Interrupted);
}

TEST(Loop, RefusesAnEmptyTrace) {
  FakeBackend backend({1.0});
  EXPECT_THROW(profile(Trace("nothing"), backend, {}, Sampling::fixed(1, 0)), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
