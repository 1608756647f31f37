#include "siliconprof/devices/step_prediction.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

void expect_as_predicted(const Model& model, const Trace& trace) {
  const StepPrediction found = predict_step(model, summarise(trace), model.held_bytes(trace));
  const Profile profile = model.predict(trace);
  EXPECT_NEAR(found.time_s, profile.time_s(), 1e-12);
  EXPECT_NEAR(found.interval_s.lo, profile.step().interval_s.value().lo, 1e-12);
  EXPECT_NEAR(found.interval_s.hi, profile.step().interval_s.value().hi, 1e-12);
}

Trace small_step() {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 2}, {"batch", 1}, {"seq", 64}},
                        .precision = Precision::AmpFp16});
}

TEST(StepPrediction, IsThatOfTheWholeProfile) {
  expect_as_predicted(Model(made_device(), made_framework()), small_step());
}

TEST(StepPrediction, BoundByItsLaunchesToo) {
  Framework slow = made_framework();
  slow.numbers["launch.dispatch_s"].value = 1e-3;
  expect_as_predicted(Model(made_device(), slow), small_step());
}

TEST(StepPrediction, PassesOfAStepBeginAndThoseOfASingleOperationDont) {
  Framework framework = made_framework();
  const Trace call = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false);
  const double call_s = Model(made_device(), framework).predict(call).time_s();
  const double step_s = Model(made_device(), framework).predict(small_step()).time_s();
  for (const char* phase : {"forward", "backward", "optimizer"}) {
    framework.numbers["issue.any." + std::string(phase) + ".pass_s"] = made_number(1e-3);
  }
  const Model model(made_device(), framework);
  EXPECT_EQ(model.predict(call).time_s(), call_s);
  EXPECT_EQ(predict_step(model, summarise(call), model.held_bytes(call)).time_s, call_s);
  EXPECT_GT(model.predict(small_step()).time_s(), step_s);
  expect_as_predicted(model, small_step());
}

TEST(StepPrediction, WithErrorsOfSumsToo) {
  Framework framework = made_framework();
  framework.numbers["interval.other_part"] = made_number(0.2);
  framework.numbers["interval.host_part"] = made_number(0.3);
  expect_as_predicted(Model(made_device(), framework), small_step());
}

TEST(StepPrediction, OnACpuToo) {
  Device cpu = made_device();
  cpu.vendor = "cpu";
  Framework framework = made_framework();
  framework.vendors = {"cpu"};
  // What the host does once in a pass, too: the device waits for all of it.
  for (const char* phase : {"forward", "backward", "optimizer"}) {
    framework.numbers["issue.cpu." + std::string(phase) + ".pass_s"] = made_number(1e-3);
  }
  expect_as_predicted(Model(cpu, framework), small_step());
}

// A call that hides behind others has a share of the step of its own, and an error all the same.
TEST(StepPrediction, OfAnOffloadedStepInEveryModeToo) {
  Framework sums = made_offloading_framework();
  sums.numbers["interval.other_part"] = made_number(0.2);
  sums.numbers["interval.host_part"] = made_number(0.3);
  for (const Framework& framework : {sums, made_offloading_framework()}) {
    for (const OffloadMode mode : {OffloadMode::Pageable, OffloadMode::Serial,
                                   OffloadMode::Overlapped, OffloadMode::Delayed}) {
      SCOPED_TRACE(int(mode));
      expect_as_predicted(Model(made_offloading_device(), framework),
                          training_step({.workload = "gpt2-small",
                                         .sizes = {{"layers", 2}, {"batch", 1}, {"seq", 64}},
                                         .offload = mode}));
    }
  }
}

// 200 W at work in products where 100 are allowed, a gap of 0.5 us before each kernel, and
// pages: nothing but work draws power and is stretched by the clock.
TEST(StepPrediction, PausesDrawNoPowerAndFollowNoClock) {
  Device device = made_paging_device();
  device.numbers["power.board_watts"] = made_number(100.0);
  device.numbers["memory.capacity_bytes"] = made_number(1e12);
  device.numbers["paging.wire_s"] = made_number(1e-9);
  Framework framework = made_keeping_framework();
  for (const auto& [key, value] :
       {std::pair{"power.idle_part", 0.1}, std::pair{"power.busy_part", 1.9},
        std::pair{"power.other_part", 1.0}, std::pair{"power.float32.peak_part", 0.01},
        std::pair{"power.float16.peak_part", 0.01}, std::pair{"power.clock_exponent", 3.0},
        std::pair{"launch.apple.graph_gap_s", 5e-7}}) {
    framework.numbers[key] = made_number(value);
  }
  const Trace trace = small_step();
  const Model model(device, framework);
  expect_as_predicted(model, trace);
  const Profile whole = model.predict(trace);
  const Profile totals = model.totals(trace).value();
  double calls_s = 0.0;
  for (const Span& span : whole.spans) calls_s += span.kind == SpanKind::Op ? span.wall_s : 0.0;
  EXPECT_NEAR(calls_s, totals.time_s(), 1e-12);
  EXPECT_NEAR(whole.energy_joules.value(), totals.energy_joules.value(), 1e-9);
  for (std::size_t term = 0; term < kTermCount; ++term) {
    EXPECT_NEAR(whole.step().terms.value()[term], totals.step().terms.value()[term], 1e-12);
  }
  framework.numbers["power.busy_part"] = made_number(0.1);
  EXPECT_LT(Model(device, framework).predict(trace).time_s(), whole.time_s());
}

TEST(StepPrediction, ByPhaseIsNoneOfAStepPartlyOnAHost) {
  const Model model(made_offloading_device(), made_offloading_framework());
  const Trace trace = training_step({.workload = "gpt2-small",
                                     .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 8}},
                                     .offload = OffloadMode::Serial});
  EXPECT_THROW(predict_phases(model, summarise(trace), 0), ArgumentError);
}

TEST(StepPrediction, ALaunchThatNobodyWaitsForIsNotLessThanNothing) {
  Framework quick = made_framework();
  quick.numbers["launch.dispatch_s"] = made_number(1e-15);
  const Model model(made_device(), quick);
  const PhasedPrediction found = predict_phases(model, summarise(small_step()), 0);
  for (const auto& phase : found.phases) {
    if (!phase) continue;
    const double launch_s = phase->terms[static_cast<std::size_t>(Term::Launch)];
    EXPECT_GE(launch_s, 0.0);
    EXPECT_NEAR(launch_s, 0.0, 1e-12);
  }
}

TEST(StepPrediction, PhasesSumToTheStep) {
  const Model model(made_device(), made_framework());
  const PhasedPrediction found = predict_phases(model, summarise(small_step()), 0);
  double sum_s = 0.0;
  for (const auto& phase : found.phases) sum_s += phase ? phase->wall_s : 0.0;
  EXPECT_NEAR(sum_s, found.step.time_s, 1e-12);
  EXPECT_FALSE(found.phases[static_cast<std::size_t>(Phase::Transfer)]);
}

TEST(StepPrediction, RefusesADtypeThatTheDeviceLacks) {
  const Model model(made_device(), made_framework());
  const Trace trace = single_op("copy", {{"n", 8}}, Dtype::Float64, {}, false);
  EXPECT_THROW(predict_step(model, summarise(trace), model.held_bytes(trace)), DtypeError);
}

TEST(StepPrediction, RefusesADeviceWhoseKernelsWereMeasured) {
  Device device = made_device();
  device.numbers["kernel.made-fw.add.float32.start_s"] = made_number(1e-6);
  const Model measured(device, made_framework());
  const Trace trace = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false);
  EXPECT_THROW(predict_step(measured, summarise(trace), measured.held_bytes(trace)), DeviceError);
}

}  // namespace
}  // namespace siliconprof
