#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "devices/offloaded_step.h"
#include "siliconprof/core/error.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/devices/step_prediction.h"

namespace siliconprof {
namespace {

Model made() { return {made_offloading_device(), made_offloading_framework()}; }

double term(const Profile& profile, Term which) {
  return profile.step().terms.value()[static_cast<std::size_t>(which)];
}

// What crosses and what is updated are terms of their own: all parameters both ways at 5 GB/s and
// 1 us each, 28 bytes of each at 10 GB/s and 2 us a tensor.
TEST(CallTime, TransfersAndTheHostsOptimizerAreTermsByName) {
  const Trace trace = offloaded_step(OffloadMode::Overlapped);
  const Profile found = made().predict(trace);
  const auto parameters = double(trace.parameters());
  EXPECT_NEAR(term(found, Term::Transfers), 2 * (16 * 1e-6 + 4 * parameters / 5e9), 1e-12);
  EXPECT_NEAR(term(found, Term::HostOptimizer), 16 * 2e-6 + 28 * parameters / 1e10, 1e-12);
}

TEST(CallTime, EachModeOverlapsMoreThanTheOneBefore) {
  const Model model = made();
  double last_s = 1e9;
  for (const OffloadMode mode :
       {OffloadMode::Pageable, OffloadMode::Serial, OffloadMode::Overlapped, OffloadMode::None}) {
    const double now_s = model.predict(offloaded_step(mode)).time_s();
    EXPECT_LT(now_s, last_s);
    last_s = now_s;
  }
}

TEST(CallTime, SpansOfAnOffloadedStepSumToIt) {
  for (const OffloadMode mode :
       {OffloadMode::Serial, OffloadMode::Overlapped, OffloadMode::Delayed}) {
    const Profile found = made().predict(offloaded_step(mode));
    double sum_s = 0.0;
    for (const Span& span : found.spans) {
      if (span.kind == SpanKind::Op) sum_s += span.wall_s;
    }
    EXPECT_NEAR(sum_s, found.time_s(), 1e-12);
  }
}

TEST(CallTime, ASweepSaysWhatAPredictionDoes) {
  const Model model = made();
  for (const OffloadMode mode :
       {OffloadMode::Pageable, OffloadMode::Overlapped, OffloadMode::Delayed}) {
    const Trace trace = offloaded_step(mode);
    const StepPrediction found = predict_step(model, summarise(trace), model.held_bytes(trace));
    const Profile predicted = model.predict(trace);
    EXPECT_NEAR(found.time_s, predicted.time_s(), 1e-12);
    EXPECT_LT(found.interval_s.lo, found.time_s);
    EXPECT_GT(found.interval_s.hi, found.time_s);
  }
}

TEST(CallTime, ASlowerHostIssuesTransfersLaterAndTheyTakeNoLonger) {
  Device device = made_offloading_device();
  device.numbers["host.pace"] = made_number(0.5);
  const Model slow(device, made_offloading_framework());
  const Trace trace = offloaded_step(OffloadMode::Overlapped);
  const std::vector<PlacedCall> placed = place_calls(trace);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const OpCall& call = trace.calls()[i];
    const Cost cost = call.op->cost(call);
    const CallTime usual = made().call_time(call, cost, placed[i]);
    const CallTime found = slow.call_time(call, cost, placed[i]);
    EXPECT_DOUBLE_EQ(found.issue_s, 2.0 * usual.issue_s);
    EXPECT_DOUBLE_EQ(found.kernel.seconds, usual.kernel.seconds);
  }
}

TEST(CallTime, PredictionsAndSweepsPaceTheWholeHost) {
  Framework framework = made_offloading_framework();
  for (const char* phase : {"forward", "backward", "optimizer"}) {
    framework.numbers["issue.any." + std::string(phase) + ".pass_s"] = made_number(1e-3);
  }
  Framework slower = framework;
  for (auto& [key, number] : slower.numbers) {
    const bool issues = key.ends_with(".copy_s") || key.ends_with(".send_s") ||
                        key.ends_with(".fetch_s") || key.starts_with("issue.") ||
                        key == "launch.dispatch_s";
    if (issues) number.value *= 2.0;
  }
  Device device = made_offloading_device();
  const Model expected(device, slower);
  device.numbers["host.pace"] = made_number(0.5);
  const Model model(device, framework);
  for (const OffloadMode mode : {OffloadMode::Overlapped, OffloadMode::None}) {
    const Trace trace = offloaded_step(mode);
    const double step_s = expected.predict(trace).time_s();
    EXPECT_NEAR(model.predict(trace).time_s(), step_s, 1e-12);
    EXPECT_NEAR(predict_step(model, summarise(trace), model.held_bytes(trace)).time_s, step_s,
                1e-12);
  }
}

TEST(CallTime, AnAssumedHostIsSaid) {
  const Profile found = made().predict(offloaded_step(OffloadMode::Overlapped));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes.back().find("the host beside made is assumed"), std::string::npos);
  EXPECT_TRUE(made().predict(offloaded_step(OffloadMode::None)).notes.empty());
}

TEST(CallTime, AHostThatIsKnownIsNotSaidToBeAssumed) {
  Device device = made_offloading_device();
  device.numbers["host.memory_bandwidth_bytes_per_s"].relative_error = 0.0;
  const std::vector<PlacedCall> placed = place_calls(offloaded_step(OffloadMode::Overlapped));
  EXPECT_TRUE(made().assumed_host(placed));
  EXPECT_FALSE(Model(device, made_offloading_framework()).assumed_host(placed));
  EXPECT_FALSE(made().assumed_host({}));
}

TEST(CallTime, AnUnknownHostIsRefused) {
  const Model model(made_offloading_device(), [] {
    Framework framework = made_framework();
    framework.vendors = {"nvidia"};
    return framework;
  }());
  EXPECT_NO_THROW(model.predict(offloaded_step(OffloadMode::None)));
  EXPECT_THROW(model.predict(offloaded_step(OffloadMode::Overlapped)), DeviceError);
}

TEST(CallTime, UnifiedMemoryTransfersNothing) {
  Device device = made_device();
  device.numbers["host.vector_flops_per_s"] = made_number(1e12);
  const Model model(device, made_offloading_framework());
  const Profile found = model.predict(offloaded_step(OffloadMode::Overlapped));
  EXPECT_EQ(term(found, Term::Transfers), 0.0);
  EXPECT_GT(term(found, Term::HostOptimizer), 0.0);
}

TEST(CallTime, ACpuIsItsOwnHost) {
  Device device = made_device();
  device.vendor = device.family = "cpu";
  Framework framework = made_framework();
  framework.vendors = {"cpu"};
  const Profile found = Model(device, framework).predict(offloaded_step(OffloadMode::Overlapped));
  EXPECT_EQ(term(found, Term::Transfers), 0.0);
  EXPECT_EQ(term(found, Term::HostOptimizer), 0.0);
  EXPECT_GT(found.phase_s(Phase::Transfer).value(), 0.0);
}

}  // namespace
}  // namespace siliconprof
