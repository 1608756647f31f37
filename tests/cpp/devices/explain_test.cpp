#include "siliconprof/devices/explain.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "devices/offloaded_step.h"
#include "siliconprof/core/error.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Steps same(const Trace& trace) {
  Steps steps;
  steps.traces.fill(&trace);
  return steps;
}

// The made device with twice the bandwidth and products of a fifth of the rate.
Model other_model() {
  Device device = made_device();
  device.id = "other";
  device.numbers["peak.matrix.float32_flops_per_s"].value = 2e12;
  device.numbers["peak.vector.float32_flops_per_s"].value = 1e12;
  device.numbers["memory.bandwidth_bytes_per_s"].value = 2e11;
  Framework framework = made_framework();
  framework.numbers["launch.dispatch_s"].value = 50e-6;
  return {device, framework};
}

const CausePart& part(const Causes& causes, Cause cause) {
  return causes.parts.at(static_cast<std::size_t>(cause));
}

TEST(Explain, SplitsOneProductAsByHand) {
  // 2e9 flop and 12 MB. From: 5 TFLOP/s, 50 GB/s, 5 us: 400 us > 240 us, 405 us. To: 1 TFLOP/s,
  // 100 GB/s, 50 us: 2000 us > 120 us, 2050 us. Traffic never decides: its part is nothing.
  const Trace trace =
      single_op("matmul", {{"m", 1000}, {"k", 1000}, {"n", 1000}}, Dtype::Float32, {}, false);
  const Causes found = explain(same(trace), Model(made_device(), made_framework()), other_model());
  EXPECT_NEAR(found.gap_s(), 1645e-6, 1e-12);
  EXPECT_NEAR(part(found, Cause::Matrix).seconds, 1600e-6, 1e-12);
  EXPECT_NEAR(part(found, Cause::Launch).seconds, 45e-6, 1e-12);
  EXPECT_NEAR(part(found, Cause::Vector).seconds, 0.0, 1e-15);
  EXPECT_NEAR(found.share(part(found, Cause::Matrix)).value(), 1600.0 / 1645.0, 1e-9);
  EXPECT_EQ(found.from, "made/made-fw");
  EXPECT_EQ(found.to, "other/made-fw");
}

Model offloading_model() { return {made_offloading_device(), made_offloading_framework()}; }

TEST(Explain, PartsSumToTheGapAndTheEndsArePredictions) {
  const Trace trace = training_step({.workload = "gpt2-small",
                                     .sizes = {{"layers", 2}, {"batch", 1}, {"seq", 64}},
                                     .precision = Precision::AmpFp16,
                                     .offload = OffloadMode::Overlapped});
  const Model from = offloading_model();
  Device device = made_offloading_device();
  device.numbers["link.bandwidth_bytes_per_s"].value = 3e10;
  device.numbers["peak.vector.float16_flops_per_s"].value = 1e11;
  device.numbers["peak.matrix.float16_flops_per_s"].value = 1e11;
  const Model to(device, made_offloading_framework());
  const Causes found = explain(same(trace), from, to);
  EXPECT_NEAR(found.from_s, from.predict(trace).time_s(), 1e-12);
  EXPECT_NEAR(found.to_s, to.predict(trace).time_s(), 1e-12);
  double sum_s = 0.0;
  for (const CausePart& some : found.parts) {
    sum_s += some.seconds;
    double phases_s = 0.0;
    double classes_s = 0.0;
    for (const double seconds : some.by_phase_s) phases_s += seconds;
    for (const double seconds : some.by_class_s) classes_s += seconds;
    EXPECT_NEAR(phases_s, some.seconds, 1e-12);
    EXPECT_NEAR(classes_s, some.seconds, 1e-12);
  }
  EXPECT_NEAR(sum_s, found.gap_s(), 1e-12);
  EXPECT_NE(part(found, Cause::Transfers).seconds, 0.0);
  EXPECT_NE(part(found, Cause::Dtype).seconds, 0.0);
}

TEST(Explain, PagingIsAPartWhereOneSideHasTooLittleMemory) {
  // 12 MB touched where 1 MB stays wired: 12,000 pages of 1 us, whatever else differs.
  const Trace trace =
      single_op("matmul", {{"m", 1000}, {"k", 1000}, {"n", 1000}}, Dtype::Float32, {}, false);
  Device small = made_device();
  for (const auto& [key, value] : {std::pair{"memory.capacity_bytes", 64e6},
                                   {"memory.working_set_limit_bytes", 1e6},
                                   {"paging.page_bytes", 1e3},
                                   {"paging.wire_s", 1e-6},
                                   {"paging.system_bytes", 1e6},
                                   {"paging.system_part", 0.1},
                                   {"paging.swap_fault_s", 1e-4},
                                   {"paging.disk_bandwidth_bytes_per_s", 1e9}}) {
    small.numbers[key] = made_number(value, 0.1);
  }
  const Model paged(small, made_framework());
  const Causes found = explain(same(trace), other_model(), paged);
  EXPECT_NEAR(part(found, Cause::Paging).seconds, 12e-3, 1e-9);
  EXPECT_NEAR(found.to_s, paged.predict(trace).time_s(), 1e-12);
  double sum_s = 0.0;
  for (const CausePart& some : found.parts) sum_s += some.seconds;
  EXPECT_NEAR(sum_s, found.gap_s(), 1e-12);
}

TEST(Explain, TheSameTargetHasNoGapAndNoShares) {
  const Trace trace = single_op("copy", {{"n", 1000}}, Dtype::Float32, {}, false);
  const Model model(made_device(), made_framework());
  const Causes found = explain(same(trace), model, model);
  EXPECT_EQ(found.gap_s(), 0.0);
  EXPECT_FALSE(found.share(found.parts[0]));
}

TEST(Explain, AnotherLoweringIsAPartOfItsOwn) {
  const auto made = [](bool fused) {
    return training_step({.workload = "gpt2-small",
                          .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 64}},
                          .lowering = {.fused_attention = fused}});
  };
  const Trace fused = made(true);
  const Trace apart = made(false);
  const Model model(made_device(), made_framework());
  Steps steps = same(fused);
  for (std::size_t place = 4; place < 8; ++place) steps.traces[place] = &apart;
  const Causes found = explain(steps, model, model);
  EXPECT_GT(found.gap_s(), 0.0);
  EXPECT_NEAR(part(found, Cause::Lowering).seconds, found.gap_s(), 1e-12);
}

TEST(Explain, WhatOneSideKeepsOnTheHostIsATransfer) {
  const auto made = [](OffloadMode offload) {
    return training_step({.workload = "gpt2-small",
                          .sizes = {{"layers", 1}, {"batch", 1}, {"seq", 64}},
                          .offload = offload});
  };
  const Trace whole = made(OffloadMode::None);
  const Trace offloaded = made(OffloadMode::Overlapped);
  const Model model = offloading_model();
  Steps steps = same(whole);
  for (std::size_t place = 1; place < 8; place += 2) steps.traces[place] = &offloaded;
  const Causes found = explain(steps, model, model);
  EXPECT_NEAR(found.gap_s(), model.predict(offloaded).time_s() - model.predict(whole).time_s(),
              1e-12);
  EXPECT_NEAR(part(found, Cause::Transfers).seconds, found.gap_s(), 1e-12);
}

TEST(Explain, ADeviceWithoutTf32ComputesInFloat32AndANoteSaysSo) {
  const Trace trace =
      single_op("matmul", {{"m", 1000}, {"k", 1000}, {"n", 1000}}, Dtype::Tf32, {}, false);
  Device device = made_device();
  device.id = "with-tf32";
  device.numbers["peak.matrix.tf32_flops_per_s"] = made_number(2e13);
  const Causes found =
      explain(same(trace), Model(device, made_framework()), Model(made_device(), made_framework()));
  // 240 us of traffic against 400 us of arithmetic: the format brings the whole gap.
  EXPECT_NEAR(found.gap_s(), 160e-6, 1e-12);
  EXPECT_NEAR(part(found, Cause::Dtype).seconds, 160e-6, 1e-12);
  EXPECT_EQ(found.notes.front(), "made has no tf32: its products are float32's");
}

TEST(Explain, AnAssumedHostIsSaidOfTheSideThatOffloads) {
  const Trace plain = offloaded_step(OffloadMode::None);
  const Trace offloaded = offloaded_step(OffloadMode::Overlapped);
  Steps steps;
  for (std::size_t i = 0; i < 8; ++i) steps.traces[i] = i % 2 == 0 ? &plain : &offloaded;
  Device other = made_offloading_device();
  other.id = "other";
  const Model to(other, made_offloading_framework());
  const Causes one = explain(steps, offloading_model(), to);
  ASSERT_EQ(one.notes.size(), 1U);
  EXPECT_NE(one.notes[0].find("the host beside other is assumed"), std::string::npos);
  EXPECT_EQ(explain(same(offloaded), offloading_model(), to).notes.size(), 2U);
  EXPECT_EQ(explain(same(offloaded), to, to).notes.size(), 1U);
  EXPECT_TRUE(explain(same(plain), offloading_model(), to).notes.empty());
}

TEST(Causes, TheResidualIsWhatWasMeasuredBeyondThePrediction) {
  Causes causes;
  causes.from_s = 1.0;
  causes.to_s = 3.0;
  EXPECT_FALSE(causes.residual_s());
  causes.measured_from_s = 1.5;
  EXPECT_FALSE(causes.residual_s());
  causes.measured_to_s = 4.0;
  EXPECT_DOUBLE_EQ(causes.residual_s().value(), 0.5);
}

TEST(Explain, RefusesAnEmptyTrace) {
  const Trace trace("empty");
  const Model model(made_device(), made_framework());
  EXPECT_THROW(explain(same(trace), model, model), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
