#include "siliconprof/devices/predict.h"

#include <gtest/gtest.h>

#include <string>

#include "devices/made_device.h"
#include "siliconprof/workloads/single_op.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

using Shared = std::shared_ptr<const Trace>;

Shared small_step(TrainingConfig config = {}) {
  config.workload = "gpt2-small";
  config.sizes = {{"layers", 2}, {"batch", 1}, {"seq", 64}};
  return std::make_shared<const Trace>(training_step(config));
}

void expect_near(const Span& found, const Span& expected) {
  EXPECT_EQ(found.name, expected.name);
  EXPECT_EQ(found.kind, expected.kind);
  EXPECT_EQ(found.phase, expected.phase);
  EXPECT_EQ(found.parent, expected.parent);
  EXPECT_EQ(found.cost, expected.cost);
  EXPECT_NEAR(found.wall_s, expected.wall_s, 1e-12);
  EXPECT_NEAR(found.interval_s.value().lo, expected.interval_s.value().lo, 1e-12);
  EXPECT_NEAR(found.interval_s.value().hi, expected.interval_s.value().hi, 1e-12);
  for (std::size_t t = 0; t < kTermCount; ++t) {
    EXPECT_NEAR(found.terms.value()[t], expected.terms.value()[t], 1e-12) << term_names()[t];
  }
}

/// Its totals are Model::predict's, known before anybody looks at the calls, and so is all else.
void expect_as_the_loop_says(const std::shared_ptr<const Model>& model, const Shared& trace) {
  Profile found = predict(model, trace);
  Profile expected = model->predict(*trace);
  const std::span<const Span> outline = found.spans.outline();
  ASSERT_GT(outline.size(), 1U);
  EXPECT_LT(outline.size(), 6U);
  for (std::size_t i = 0; i < outline.size(); ++i) expect_near(outline[i], expected.spans[i]);
  ASSERT_EQ(found.energy_joules.has_value(), expected.energy_joules.has_value());
  EXPECT_NEAR(found.energy_joules.value_or(0.0), expected.energy_joules.value_or(0.0), 1e-9);
  ASSERT_EQ(found.spans.size(), expected.spans.size());
  for (std::size_t i = outline.size(); i < found.spans.size(); ++i) {
    ASSERT_EQ(found.spans[i], expected.spans[i]);
  }
  found.spans = expected.spans = {};
  ASSERT_EQ(found.energy_interval_joules.has_value(), expected.energy_interval_joules.has_value());
  if (found.energy_interval_joules) {
    EXPECT_NEAR(found.energy_interval_joules->lo, expected.energy_interval_joules->lo, 1e-9);
    EXPECT_NEAR(found.energy_interval_joules->hi, expected.energy_interval_joules->hi, 1e-9);
  }
  found.energy_joules = expected.energy_joules = std::nullopt;
  found.energy_interval_joules = expected.energy_interval_joules = std::nullopt;
  EXPECT_EQ(found.counters.size(), expected.counters.size());
  for (std::size_t i = 0; i < found.counters.size(); ++i) {
    EXPECT_EQ(found.counters[i].name, expected.counters[i].name);
    const double value = expected.counters[i].value.value();
    EXPECT_NEAR(found.counters[i].value.value(), value, 1e-9 * value);
  }
  found.counters = expected.counters = {};
  EXPECT_EQ(found, expected);
}

std::shared_ptr<const Model> made_model(const Framework& framework) {
  return std::make_shared<const Model>(made_device(), framework);
}

TEST(Predict, SaysOfAStepWhatTheLoopSays) {
  TrainingConfig config;
  expect_as_the_loop_says(made_model(made_framework()), small_step(config));
  config.clip_norm = 1.0;
  expect_as_the_loop_says(made_model(made_framework()), small_step(config));
}

TEST(Predict, BoundByItsLaunchesToo) {
  Framework slow = made_framework();
  slow.numbers["launch.dispatch_s"].value = 1e-3;
  expect_as_the_loop_says(made_model(slow), small_step());
}

TEST(Predict, WithErrorsOfSumsToo) {
  Framework framework = made_framework();
  framework.numbers["interval.other_part"] = made_number(0.2);
  framework.numbers["interval.host_part"] = made_number(0.3);
  expect_as_the_loop_says(made_model(framework), small_step());
}

TEST(Predict, WhereUpdatesComeAmidTheBackwardPassToo) {
  TrainingConfig config;
  config.lowering.saves_memory = true;
  expect_as_the_loop_says(made_model(made_framework()), small_step(config));
}

TEST(Predict, OnACpuToo) {
  Device cpu = made_device();
  cpu.vendor = "cpu";
  Framework framework = made_framework();
  framework.vendors = {"cpu"};
  // What the host does once in a pass, too: the device waits for all of it.
  for (const char* phase : {"forward", "backward", "optimizer"}) {
    framework.numbers["issue.cpu." + std::string(phase) + ".pass_s"] = made_number(1e-3);
  }
  expect_as_the_loop_says(std::make_shared<const Model>(cpu, framework), small_step());
}

TEST(Predict, AtTheClockThatPowerAllowsToo) {
  Device hot = made_device();
  hot.numbers["power.board_watts"] = made_number(100.0);
  Framework framework = made_framework();
  for (const char* key : {"idle_part", "busy_part", "other_part"}) {
    framework.numbers["power." + std::string(key)] = made_number(0.5);
  }
  framework.numbers["power.clock_exponent"] = made_number(2.0);
  framework.numbers["power.float32.peak_part"] = made_number(2.0);
  const auto model = made_model(framework);
  const auto limited = std::make_shared<const Model>(hot, framework);
  const Shared trace = small_step();
  EXPECT_GT(predict(limited, trace).time_s(), predict(model, trace).time_s());
  expect_as_the_loop_says(limited, trace);
  framework.numbers["interval.other_part"] = made_number(0.2);
  framework.numbers["interval.host_part"] = made_number(0.3);
  expect_as_the_loop_says(std::make_shared<const Model>(hot, framework), trace);
}

TEST(Predict, WhereTheStepPagesToo) {
  const auto model = std::make_shared<const Model>(made_paging_device(), made_keeping_framework());
  expect_as_the_loop_says(model, small_step());
  EXPECT_GT(predict(model, small_step()).counters.size(), 0U);
}

TEST(Predict, CallsAreLeftUntilSomebodyLooks) {
  const auto model = made_model(made_framework());
  Shared trace = small_step();
  const std::size_t calls = trace->calls().size();
  const Profile found = predict(model, trace);
  EXPECT_EQ(trace.use_count(), 2);  // kept for them
  EXPECT_EQ(found.spans.size(), calls + found.spans.outline().size());
  EXPECT_EQ(trace.use_count(), 1);
}

TEST(Predict, WalksWhatEqualCallsDontTell) {
  const auto expect_same = [](const std::shared_ptr<const Model>& model, const Shared& trace) {
    const Profile found = predict(model, trace);
    EXPECT_EQ(found.spans.outline().size(), found.spans.size());
    EXPECT_EQ(found, model->predict(*trace));
  };
  TrainingConfig offloaded;
  offloaded.offload = OffloadMode::Overlapped;
  expect_same(std::make_shared<const Model>(made_offloading_device(), made_offloading_framework()),
              small_step(offloaded));
  Device measured = made_device();
  measured.numbers["memory.cache_bytes"] = made_number(1e4);
  measured.numbers["kernel.made-fw.elementwise.float32.memory_bytes_per_s"] = made_number(1e9);
  expect_same(std::make_shared<const Model>(measured, made_framework()), small_step());
  const Shared call =
      std::make_shared<const Trace>(single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false));
  expect_same(made_model(made_framework()), call);
}

}  // namespace
}  // namespace siliconprof
