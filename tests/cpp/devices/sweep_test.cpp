#include "siliconprof/devices/sweep.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

Trace step(const StepSize& size) {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 1}, {"batch", size.batch}, {"seq", size.length}}});
}

Model made_model(double bandwidth, double capacity, double price) {
  Device device = made_device();
  device.numbers["memory.bandwidth_bytes_per_s"].value = bandwidth;
  device.numbers["memory.capacity_bytes"] = made_number(capacity);
  if (price > 0.0) device.numbers["price.launch_usd"] = made_number(price);
  return {device, made_framework()};
}

TEST(Sweep, ARowIsThePredictionOfItsTrace) {
  const StepFamily family(step, {1, 8}, {4, 64});
  const Model model = made_model(1e11, 1e12, 500.0);
  const std::vector<SweepEntry> entries{{"made", &model, &family}};
  const std::vector<StepSize> sizes{{1, 8}, {3, 50}};
  const auto rows = sweep(entries, sizes, 2);
  ASSERT_EQ(rows.size(), 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Profile profile = model.predict(step(sizes[i]));
    EXPECT_NEAR(rows[i].time_s, profile.time_s(), 1e-12);
    EXPECT_NEAR(rows[i].interval_s.hi, profile.step().interval_s.value().hi, 1e-12);
    EXPECT_EQ(rows[i].peak_bytes, profile.peak_memory_bytes);
  }
}

TEST(Sweep, ARowHasTheIntervalsOfMemoryAndEnergyThatItsPredictionHas) {
  Device device = made_device();
  device.numbers["memory.capacity_bytes"] = made_number(1e12);
  device.numbers["power.board_watts"] = made_number(300.0);
  Framework framework = made_framework();
  framework.numbers["interval.memory_part"] = made_number(1e-3);
  framework.numbers["interval.workspace_bytes"] = made_number(1e6);
  for (const char* key : {"idle_part", "busy_part", "other_part", "float32.peak_part"}) {
    framework.numbers[std::string("power.") + key] = made_number(0.1);
    framework.numbers[std::string("power.") + key].relative_error = 0.2;
  }
  framework.numbers["power.clock_exponent"] = made_number(3.0);
  const Model model(device, framework);
  const auto build = [](const char* workload) {
    return [workload](const StepSize& size) {
      Sizes sizes{{"batch", size.batch}};
      if (std::string(workload) == "gpt2-small") sizes["layers"] = 1;
      return training_step({.workload = workload, .sizes = sizes});
    };
  };
  for (const char* workload : {"gpt2-small", "simclr-resnet18"}) {
    const StepFamily family(build(workload), {1, 1}, {4, 1});
    const std::vector<SweepEntry> entries{{workload, &model, &family}};
    const SweepRow row = sweep(entries, std::vector<StepSize>{{3, 1}}, 1).front();
    const Profile profile = model.predict(build(workload)({3, 1}));
    EXPECT_EQ(row.peak_interval_bytes, profile.peak_memory_interval_bytes);
    ASSERT_TRUE(row.energy);
    const double joules = profile.energy_joules.value();
    EXPECT_NEAR(row.energy->joules, joules, 1e-9 * joules);
    EXPECT_NEAR(row.energy->interval.lo, profile.energy_interval_joules->lo, 1e-9 * joules);
    EXPECT_NEAR(row.energy->interval.hi, profile.energy_interval_joules->hi, 1e-9 * joules);
  }
}

TEST(Sweep, ThreadsChangeNothing) {
  const StepFamily family(step, {1, 8}, {4, 64});
  const Model model = made_model(1e11, 1e12, 500.0);
  const std::vector<SweepEntry> entries{{"made", &model, &family}};
  std::vector<StepSize> sizes;  // in groups of five, and a rest
  for (std::int64_t length = 8; length < 8 + 22; ++length)
    sizes.push_back({length % 4 + 1, length});
  const std::string one = sweep_text(entries, sizes, sweep(entries, sizes, 1));
  EXPECT_EQ(one, sweep_text(entries, sizes, sweep(entries, sizes, 3)));
}

TEST(Sweep, TheFrontierIsAmongThoseThatFit) {
  const StepFamily family(step, {1, 8}, {1, 8});
  const Model quick = made_model(4e11, 1e12, 900.0);
  const Model cheap = made_model(1e11, 1e12, 100.0);
  const Model dear = made_model(1e11, 1e12, 200.0);
  const Model small = made_model(8e11, 1e3, 50.0);  // quickest and cheapest, without the memory
  const std::vector<SweepEntry> entries{{"quick", &quick, &family},
                                        {"cheap", &cheap, &family},
                                        {"dear", &dear, &family},
                                        {"small", &small, &family}};
  const auto rows = sweep(entries, std::vector<StepSize>{{1, 8}}, 1);
  std::vector<bool> found;
  for (const SweepRow& row : rows) found.push_back(row.on_frontier);
  EXPECT_EQ(found, (std::vector<bool>{true, true, false, false}));
  EXPECT_FALSE(rows[3].fits);
}

TEST(Sweep, AUnifiedMemoryHoldsNoMoreThanItsGpuMay) {
  const StepFamily family(step, {1, 8}, {1, 8});
  Device unified = made_device();
  unified.numbers["memory.capacity_bytes"] = made_number(1e12);
  const Model all(unified, made_framework());
  unified.numbers["memory.working_set_limit_bytes"] = made_number(1e3);
  const Model part(unified, made_framework());
  const std::vector<SweepEntry> entries{{"all", &all, &family}, {"part", &part, &family}};
  const auto rows = sweep(entries, std::vector<StepSize>{{1, 8}}, 1);
  EXPECT_TRUE(rows[0].fits);
  EXPECT_FALSE(rows[1].fits);
}

TEST(Sweep, ABoardHoldsNoMoreThanErrorCorrectionAndTheDriverLeave) {
  const StepFamily family(step, {1, 8}, {1, 8});
  const auto peak = double(family.at({1, 8}).peak_bytes);
  const auto fits = [&](double part) {
    Device board = made_device();
    board.numbers["memory.capacity_bytes"] = made_number(2.0 * peak);
    board.numbers["memory.usable_part"] = made_number(part);
    const Model model(board, made_framework());
    const std::vector<SweepEntry> entries{{"board", &model, &family}};
    return sweep(entries, std::vector<StepSize>{{1, 8}}, 1).front().fits;
  };
  EXPECT_TRUE(fits(0.51));
  EXPECT_FALSE(fits(0.49));
}

TEST(Sweep, WhatAStepKeepsOnItsHostMustFitAUnifiedMemoryToo) {
  const auto offloaded = [](const StepSize& size) {
    return training_step({.workload = "gpt2-small",
                          .sizes = {{"layers", 1}, {"batch", size.batch}, {"seq", size.length}},
                          .offload = OffloadMode::Overlapped});
  };
  const StepFamily family(offloaded, {1, 8}, {1, 8});
  const std::int64_t alone = family.at({1, 8}).peak_bytes;
  Device unified = made_device();
  unified.numbers["host.vector_flops_per_s"] = made_number(1e12);
  Device apart = made_offloading_device();
  for (Device* device : {&unified, &apart}) {
    device->numbers["memory.capacity_bytes"] = made_number(double(alone));
  }
  const Model shared(unified, made_offloading_framework());
  const Model linked(apart, made_offloading_framework());
  const std::vector<SweepEntry> entries{{"shared", &shared, &family}, {"linked", &linked, &family}};
  const auto rows = sweep(entries, std::vector<StepSize>{{1, 8}}, 1);
  EXPECT_FALSE(rows[0].fits);
  EXPECT_EQ(rows[0].peak_bytes, shared.predict(offloaded({1, 8})).peak_memory_bytes);
  EXPECT_TRUE(rows[1].fits);
  EXPECT_EQ(rows[1].peak_bytes, alone);
}

TEST(Sweep, AnErrorOnAThreadIsTheCallers) {
  const auto build = [](const StepSize& size) {
    return training_step({.workload = "gpt2-small",
                          .sizes = {{"layers", 1}, {"batch", size.batch}, {"seq", size.length}},
                          .precision = Precision::Fp64});
  };
  const StepFamily family(build, {1, 8}, {1, 8});
  const Model model = made_model(1e11, 1e12, 0.0);
  const std::vector<SweepEntry> entries{{"made", &model, &family}};
  EXPECT_THROW(sweep(entries, std::vector<StepSize>(5, {1, 8}), 2), DtypeError);
}

TEST(SweepText, HasALineForEachRowInTheOrderOfTheHeader) {
  const std::vector<SweepEntry> entries{{"d,f", nullptr, nullptr}};
  const std::vector<StepSize> sizes{{2, 64}};
  SweepRow row{0.25, {0.125, 0.5}, 1024};
  row.fits = true;
  const std::vector<SweepRow> bare{row};
  EXPECT_EQ(sweep_text(entries, sizes, bare),
            "d,f,2,64,0.25,0.125,0.5,1024,,,,,,1,0,,0.001953125,\n");
  row.peak_interval_bytes = Interval{1000.5, 2048.0};
  row.energy = StepEnergy{8.0, {4.0, 16.0}};
  const std::vector<SweepRow> whole{row};
  const std::vector<SweepEntry> priced{{"d,f", nullptr, nullptr, 999.5}};
  EXPECT_EQ(sweep_text(priced, sizes, whole),
            "d,f,2,64,0.25,0.125,0.5,1024,1000.5,2048,8,4,16,1,0,999.5,0.001953125,0.0625\n");
  // Four micro-batches of 2 by 64 tokens.
  const std::vector<SweepEntry> gathered{{"d,f", nullptr, nullptr, 999.5, 4}};
  EXPECT_EQ(sweep_text(gathered, sizes, whole),
            "d,f,2,64,0.25,0.125,0.5,1024,1000.5,2048,8,4,16,1,0,999.5,0.00048828125,0.015625\n");
}

}  // namespace
}  // namespace siliconprof
