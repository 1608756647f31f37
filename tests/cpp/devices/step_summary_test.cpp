#include "siliconprof/devices/step_summary.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Trace repeated(std::int64_t n, int times) {
  Trace trace = single_op("copy", {{"n", n}}, Dtype::Float32, {}, false);
  const OpCall call = trace.calls()[0];
  for (int i = 1; i < times; ++i) trace.append(call);
  return trace;
}

TEST(StepSummary, EqualCallsAreOneKind) {
  const StepSummary step = summarise(repeated(1000, 3));
  ASSERT_EQ(step.kinds.size(), 1);
  EXPECT_EQ(step.kinds[0].count, 3);
  EXPECT_EQ(step.kinds[0].cost.bytes(), 8000);
  EXPECT_EQ(step.order, (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(StepSummary, SaysWhereAPhaseBegins) {
  Trace trace = repeated(1000, 2);
  OpCall call = trace.calls()[0];
  for (const Phase phase : {Phase::Backward, Phase::Backward, Phase::Optimizer, Phase::Backward}) {
    call.phase = phase;
    trace.append(call);
  }
  EXPECT_EQ(summarise(trace).begins, (std::vector<std::int32_t>{0, 2, 4, 5}));
}

TEST(StepSummary, ACallThatJoinsALaunchIsAnotherKind) {
  Trace trace = repeated(1000, 1);
  OpCall joined = trace.calls()[0];
  joined.joins_launch = true;
  trace.append(joined);
  EXPECT_EQ(summarise(trace).kinds.size(), 2);
}

TEST(StepSummary, LayersOfAModelShareTheirKinds) {
  const auto kinds = [](std::int64_t layers) {
    return summarise(training_step({.workload = "gpt2-small", .sizes = {{"layers", layers}}}));
  };
  const StepSummary three = kinds(3);
  const StepSummary nine = kinds(9);
  EXPECT_EQ(nine.kinds.size(), three.kinds.size());
  EXPECT_GT(nine.order.size(), 2 * three.order.size());
}

TEST(StepTime, OfEqualKernelsIsOneLaunchAndTheirSum) {
  const StepSummary step = summarise(repeated(1000, 3));
  const std::vector<KindTime> times{{1.0, 5.0, 5.0}};
  // The device waits for the first launch alone; a CPU for each.
  EXPECT_DOUBLE_EQ(step_time(step, times, {.pace = {.is_asynchronous = true}}).time_s, 16.0);
  EXPECT_DOUBLE_EQ(step_time(step, times, {.pace = {.is_asynchronous = false}}).time_s, 18.0);
}

TEST(StepSummary, KnowsWhatItsTensorsTakeAndWhatItsKernelsTouch) {
  // 8 kB read and 8 kB written by each of 2 copies of 2000.
  const Trace trace = repeated(2000, 2);
  const StepSummary step = summarise(trace);
  EXPECT_EQ(step.peak_bytes, trace.memory().peak_bytes());
  EXPECT_DOUBLE_EQ(touched_bytes(step), 32e3);
}

TEST(StepTime, OfShortKernelsIsTheirLaunches) {
  const StepSummary step = summarise(repeated(1000, 3));
  const std::vector<KindTime> times{{1.0, 0.5, 0.5}};
  EXPECT_DOUBLE_EQ(step_time(step, times, {.pace = {.is_asynchronous = true}}).time_s, 3.5);
}

TEST(StepTime, OfAWholeStepIsThatOfItsProfile) {
  const Model model(made_device(), made_framework());
  const Trace trace = training_step({.workload = "gpt2-small",
                                     .sizes = {{"layers", 2}, {"batch", 1}, {"seq", 64}},
                                     .precision = Precision::AmpFp16});
  const StepSummary step = summarise(trace);
  std::vector<KindTime> times;
  for (const CallKind& kind : step.kinds) {
    times.push_back({model.issue_s(kind.call), model.kernel_time(kind.call, kind.cost).seconds});
  }
  const StepTime time = step_time(step, times, {.pace = {.is_asynchronous = true}});
  const Profile profile = model.predict(trace);
  EXPECT_NEAR(time.time_s, profile.time_s(), 1e-12);
  EXPECT_NEAR(time.by_phase_s[std::size_t(Phase::Backward)],
              profile.phase_s(Phase::Backward).value(), 1e-12);
  double classes_s = 0.0;
  for (const double seconds : time.by_class_s) classes_s += seconds;
  EXPECT_NEAR(classes_s, time.time_s, 1e-12);
}

}  // namespace
}  // namespace siliconprof
