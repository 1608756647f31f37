#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "devices/made_device.h"
#include "devices/offloaded_step.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

// Of sums: 5 % of products, 10 % of others and of the host's calls.
Framework with_sums() {
  Framework framework = made_offloading_framework();
  framework.numbers["interval.other_part"] = made_number(0.1);
  framework.numbers["interval.host_part"] = made_number(0.1);
  return framework;
}

double half_width(const Profile& profile) {
  return profile.step().interval_s.value().hi - profile.time_s();
}

TEST(ModelPredict, AnUncertainHostWidensTheIntervalOfAStepThatUsesIt) {
  Device device = made_offloading_device();
  const Trace offloaded = offloaded_step(OffloadMode::Serial, 64);
  const Trace whole = offloaded_step(OffloadMode::None, 64);
  const Model sure(device, with_sums());
  device.numbers["host.memory_bandwidth_bytes_per_s"].relative_error = 0.6;
  const Model unsure(device, with_sums());
  EXPECT_GT(half_width(unsure.predict(offloaded)), 2.0 * half_width(sure.predict(offloaded)));
  EXPECT_EQ(half_width(unsure.predict(whole)), half_width(sure.predict(whole)));
}

// A sum errs less than one of its kernels, which is all that a call alone has.
TEST(ModelPredict, ACallAloneErrsByItsKernelAndNotAsASumDoes) {
  const Trace call = single_op("copy", {{"n", 1'000'000}}, Dtype::Float32, {}, false);
  const Model alone(made_offloading_device(), made_offloading_framework());
  const Model summed(made_offloading_device(), with_sums());
  EXPECT_GT(half_width(alone.predict(call)), 0.0);
  EXPECT_EQ(half_width(summed.predict(call)), half_width(alone.predict(call)));
  EXPECT_EQ(half_width(summed.totals(call).value()), half_width(alone.predict(call)));
  const Trace step = offloaded_step(OffloadMode::None, 64);
  EXPECT_NE(half_width(summed.predict(step)), half_width(alone.predict(step)));
}

// The start of a kernel is known to a part of itself, as its traffic is.
TEST(ModelPredict, AKernelsStartWidensItsInterval) {
  Framework framework = made_framework();
  const Trace call = single_op("copy", {{"n", 1'000'000}}, Dtype::Float32, {}, false);
  framework.numbers["launch.kernel_s"] = made_number(1e-3);
  const double sure = half_width(Model(made_device(), framework).predict(call));
  framework.numbers["launch.kernel_s"] = made_number(1e-3, 0.5);
  const double kernels = half_width(Model(made_device(), framework).predict(call));
  EXPECT_NEAR(kernels - sure, 0.5e-3, 1e-9);
  framework.numbers["access.apple.copy.start_s"] = made_number(2e-3, 0.25);
  EXPECT_NEAR(half_width(Model(made_device(), framework).predict(call)) - kernels, 0.5e-3, 1e-9);
}

TEST(ModelPredict, AStepBeyondABoardsMemoryIsNoted) {
  const Trace step = offloaded_step(OffloadMode::None, 64);
  Device device = made_offloading_device();
  device.vendor = "nvidia";
  Framework framework = made_offloading_framework();
  framework.vendors = {"nvidia"};
  const auto is_noted = [&](double capacity_bytes) {
    device.numbers["memory.capacity_bytes"] = made_number(capacity_bytes);
    const std::vector<std::string> notes = Model(device, framework).predict(step).notes;
    return std::ranges::any_of(notes, [](const std::string& note) {
      return note.find("can't run there") != std::string::npos;
    });
  };
  const auto peak = double(step.memory().peak_bytes());
  EXPECT_FALSE(is_noted(1.01 * peak));
  EXPECT_TRUE(is_noted(0.99 * peak));
  device.numbers["memory.usable_part"] = made_number(0.5);
  EXPECT_TRUE(is_noted(1.99 * peak));
  EXPECT_FALSE(is_noted(2.01 * peak));
  framework.numbers["memory.nvidia.context_bytes"] = made_number(peak);
  EXPECT_TRUE(is_noted(3.99 * peak));
  EXPECT_FALSE(is_noted(4.01 * peak));
}

TEST(ModelPredict, AStepBeyondAMachinesMemoryIsNotedWhereNobodyKnowsHowItPages) {
  const Trace step = offloaded_step(OffloadMode::None, 64);
  Framework framework = made_framework();
  framework.vendors = {"cpu"};
  const auto is_noted = [&](Device device, double part) {
    device.vendor = device.family = "cpu";
    const double capacity_bytes = part * double(step.memory().peak_bytes());
    device.numbers["memory.capacity_bytes"] = made_number(capacity_bytes);
    const std::vector<std::string> notes = Model(device, framework).predict(step).notes;
    return std::ranges::any_of(notes, [](const std::string& note) {
      return note.find("that the machine has") != std::string::npos &&
             note.find("it would swap") != std::string::npos;
    });
  };
  EXPECT_FALSE(is_noted(made_device(), 1.01));
  EXPECT_TRUE(is_noted(made_device(), 0.99));
  EXPECT_FALSE(is_noted(made_paging_device(), 0.99));
}

TEST(ModelPredict, APeakOfMemoryHasAnIntervalWhereSomebodySaysHowFarOffItIs) {
  const Trace step = offloaded_step(OffloadMode::None, 64);
  Framework framework = made_offloading_framework();
  const Profile unsaid = Model(made_offloading_device(), framework).predict(step);
  EXPECT_FALSE(unsaid.peak_memory_interval_bytes);
  EXPECT_NE(unsaid.reason("peak_memory_interval_bytes").find("isn't known"), std::string::npos);
  framework.numbers["interval.memory_part"] = made_number(0.25);
  const Profile said = Model(made_offloading_device(), framework).predict(step);
  const auto peak = double(said.peak_memory_bytes.value());
  EXPECT_EQ(said.peak_memory_interval_bytes, (Interval{peak / 1.25, peak * 1.25}));
  EXPECT_EQ(said.reason("peak_memory_interval_bytes"), "");
}

TEST(ModelPredict, AnEnergyHasTheIntervalThatItsTimeAndItsConstantsLeave) {
  Device device = made_offloading_device();
  device.numbers["power.board_watts"] = made_number(1e6);
  const Trace step = offloaded_step(OffloadMode::None, 64);
  Framework framework = with_sums();
  EXPECT_FALSE(Model(device, framework).predict(step).energy_interval_joules);
  for (const char* key : {"idle_part", "busy_part", "other_part", "float32.peak_part"}) {
    framework.numbers[std::string("power.") + key] = made_number(1e-3);
  }
  framework.numbers["power.clock_exponent"] = made_number(3.0);
  const auto width = [&](const Framework& with) {
    const Profile found = Model(device, with).predict(step);
    const Interval joules = found.energy_interval_joules.value();
    EXPECT_LT(joules.lo, found.energy_joules.value());
    return (joules.hi - joules.lo) / found.energy_joules.value();
  };
  const double of_time = width(framework);
  framework.numbers["power.idle_part"].relative_error = 0.5;
  const double with_idle = width(framework);
  EXPECT_GT(with_idle, 1.5 * of_time);
  // Where nothing is known of sums of kernels, energy is as uncertain as time.
  Framework plain = made_offloading_framework();
  for (const auto& [key, number] : framework.numbers) {
    if (key.starts_with("power.")) plain.numbers[key] = made_number(number.value);
  }
  const Profile found = Model(device, plain).predict(step);
  EXPECT_NEAR(found.energy_interval_joules->hi / found.energy_joules.value(),
              found.step().interval_s->hi / found.time_s(), 1e-9);
}

// A board at work draws more; one that waits for its host's update idles.
TEST(ModelPredict, TheBoardIdlesWhileTheHostUpdates) {
  Device device = made_offloading_device();
  device.numbers["power.board_watts"] = made_number(100.0);
  Framework framework = made_offloading_framework();
  for (const auto& [key, value] :
       {std::pair{"idle_part", 0.1}, std::pair{"busy_part", 0.4}, std::pair{"other_part", 0.4},
        std::pair{"float32.peak_part", 0.01}, std::pair{"clock_exponent", 3.0}}) {
    framework.numbers[std::string("power.") + key] = made_number(value);
  }
  const Profile found = Model(device, framework).predict(offloaded_step(OffloadMode::Serial, 64));
  const double host_s =
      found.phase_s(Phase::Optimizer).value() + found.phase_s(Phase::Transfer).value();
  const double mean_watts = found.energy_joules.value() / found.time_s();
  EXPECT_GT(host_s / found.time_s(), 0.5);
  EXPECT_LT(mean_watts, 10.0 + 40.0 * (1.0 - host_s / found.time_s()) + 1.0);
}

TEST(ModelPredict, SaysThatABoardDrawsMoreThanItMayAtItsLowestClock) {
  Device device = made_offloading_device();
  device.numbers["power.board_watts"] = made_number(100.0);
  Framework framework = made_offloading_framework();
  for (const auto& [key, value] :
       {std::pair{"idle_part", 0.1}, std::pair{"busy_part", 0.4}, std::pair{"other_part", 0.4},
        std::pair{"float32.peak_part", 0.01}, std::pair{"clock_exponent", 3.0}}) {
    framework.numbers[std::string("power.") + key] = made_number(value);
  }
  const Trace step = offloaded_step(OffloadMode::None, 64);
  const auto says_so = [](const Profile& found) {
    return std::any_of(found.notes.begin(), found.notes.end(), [](const std::string& note) {
      return note.starts_with("even at 0.4 of its clock");
    });
  };
  const auto clock_of = [](const Profile& found) {
    const auto reading = std::find_if(found.counters.begin(), found.counters.end(),
                                      [](const auto& c) { return c.name == "sustained_clock"; });
    return reading == found.counters.end() ? 0.0 : reading->value.value();
  };
  EXPECT_FALSE(says_so(Model(device, framework).predict(step)));
  EXPECT_EQ(clock_of(Model(device, framework).predict(step)), 1.0);
  device.numbers["power.limit_watts"] = made_number(5.0);
  const Model held(device, framework);
  EXPECT_TRUE(says_so(held.predict(step)));
  EXPECT_TRUE(says_so(held.totals(step).value()));
  EXPECT_EQ(clock_of(held.predict(step)), 0.4);
  EXPECT_EQ(clock_of(held.totals(step).value()), 0.4);
}

TEST(ModelPredict, KernelsOfAGraphFollowEachOtherByItsGap) {
  const Trace step = offloaded_step(OffloadMode::None, 64);
  Framework framework = made_offloading_framework();
  framework.numbers["launch.nvidia.graph_gap_s"] = made_number(1e-6);
  const Model graph(made_offloading_device(), framework);
  const Profile found = graph.predict(step);
  double kernels_s = 0.0;
  std::int64_t gaps = 0;
  Rates alone = graph.rates();
  alone.graph_gap_s = 0.0;
  for (const OpCall& call : step.calls()) {
    kernels_s += graph.with(alone).kernel_time(call, call.op->cost(call)).seconds;
    gaps += call.joins_launch ? 0 : 1;
  }
  EXPECT_GT(gaps, 10);
  EXPECT_NEAR(found.time_s(), kernels_s + 1e-6 * double(gaps), 1e-9);
  EXPECT_NEAR(found.step().terms.value()[std::size_t(Term::Launch)], 1e-6 * double(gaps), 1e-9);
  EXPECT_NEAR(graph.totals(step)->time_s(), found.time_s(), 1e-9);
}

TEST(ModelPredict, OfPassesThatAreGraphsTheOptimizersKernelsHaveNoGap) {
  const Trace step = offloaded_step(OffloadMode::None, 64);
  Framework framework = made_offloading_framework();
  const Model plain(made_offloading_device(), framework);
  framework.numbers["launch.nvidia.pass_gap_s"] = made_number(1e-6);
  const Model graphs(made_offloading_device(), framework);
  for (const OpCall& call : step.calls()) {
    const Cost cost = call.op->cost(call);
    const double more_s = call.joins_launch || call.phase == Phase::Optimizer ? 0.0 : 1e-6;
    EXPECT_NEAR(graphs.kernel_time(call, cost).seconds - plain.kernel_time(call, cost).seconds,
                more_s, 1e-12);
  }
}

// Both remember what they worked out, for the next one to ask: `make tsan` sees whether they lock
// it.
TEST(ModelPredict, ThreadsShareAModelAndATrace) {
  Framework framework = made_offloading_framework();
  framework.numbers["memory.nvidia.workspace_bytes"] = made_number(1e6);
  const Model model(made_offloading_device(), framework);
  const Trace trace = offloaded_step(OffloadMode::None);
  const Trace other = offloaded_step(OffloadMode::Serial);
  std::array<std::vector<Profile>, 3> found;
  std::vector<std::thread> threads;
  for (std::vector<Profile>& own : found) {
    threads.emplace_back([&] {
      for (const Trace* some : {&trace, &other, &trace}) own.push_back(model.predict(*some));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<Profile>& own : found) {
    for (const std::size_t place : {0U, 1U, 2U}) {
      EXPECT_EQ(own[place].time_s(), found[0][place].time_s());
      EXPECT_EQ(own[place].peak_memory_bytes, found[0][place].peak_memory_bytes);
    }
  }
  EXPECT_EQ(found[0][0].peak_memory_bytes, model.predict(trace).peak_memory_bytes);
  EXPECT_NE(found[0][0].peak_memory_bytes, found[0][1].peak_memory_bytes);
}

std::int64_t lasting_bytes(const Trace& trace) {
  std::int64_t bytes = 0;
  for (const TensorInfo& tensor : trace.tensors()) {
    const bool lasts = tensor.role == Role::Parameter || tensor.role == Role::OptimizerState;
    if (lasts && !tensor.is_view()) bytes += tensor.bytes();
  }
  return bytes;
}

// What stays on the host is no less there where that is the device's own memory.
TEST(ModelPredict, AnOffloadedStepTakesUnifiedMemoryForAllThatItKeeps) {
  const Trace trace = offloaded_step(OffloadMode::Overlapped, 64);
  Device unified = made_device();
  unified.numbers["host.vector_flops_per_s"] = made_number(1e12);
  Device cpu = made_device();
  cpu.vendor = cpu.family = "cpu";
  Framework framework = made_offloading_framework();
  framework.vendors = {"nvidia", "apple", "cpu"};
  for (const Device& device : {unified, cpu}) {
    const Profile found = Model(device, framework).predict(trace);
    EXPECT_GE(found.peak_memory_bytes.value(), lasting_bytes(trace)) << device.vendor;
    EXPECT_EQ(found.memory_timeline.peak_bytes(), found.peak_memory_bytes) << device.vendor;
  }
  const Profile apart = Model(made_offloading_device(), framework).predict(trace);
  EXPECT_LT(apart.peak_memory_bytes.value(), lasting_bytes(trace));
}

}  // namespace
}  // namespace siliconprof
