#include "siliconprof/devices/power.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

PowerUnit made_unit() {
  return {.board_watts = 500.0, .idle_watts = 100.0, .flop_joules = {}, .clock_exponent = 2.0};
}

TEST(Power, EnergyIsIdleAndWhatTheWorkTakes) {
  const PoweredWork work{
      .step_s = 2.0, .scaled_s = 1.0, .scaled_joules = 300.0, .fixed_joules = 50.0};
  EXPECT_DOUBLE_EQ(joules_at(work, made_unit(), 1.0), 200.0 + 300.0 + 50.0);
  // At half the clock: a second longer; a quarter of the power for twice as long.
  EXPECT_DOUBLE_EQ(seconds_at(work, 0.5), 3.0);
  EXPECT_DOUBLE_EQ(joules_at(work, made_unit(), 0.5), 300.0 + 150.0 + 50.0);
}

TEST(Power, TheClockStaysFullBelowTheBoardsPower) {
  const PoweredWork work{.step_s = 1.0, .scaled_s = 1.0, .scaled_joules = 400.0};
  EXPECT_DOUBLE_EQ(sustained_clock(work, made_unit()), 1.0);
}

TEST(Power, AboveItTheClockFallsUntilPowerAndTimeAgree) {
  // 900 W above idle at the full clock; at 2/3 of it 600 J in 1.5 s: 400 W.
  const PoweredWork work{.step_s = 1.0, .scaled_s = 1.0, .scaled_joules = 900.0};
  EXPECT_NEAR(sustained_clock(work, made_unit()), 2.0 / 3.0, 1e-9);
}

TEST(Power, AMachineWithoutAFanGetsWarmByWhatItsCaseDoesNotGiveOff) {
  PowerUnit unit = made_unit();
  const PoweredWork work{.step_s = 1.0, .scaled_s = 1.0, .scaled_joules = 300.0};
  EXPECT_FALSE(warm_up(work, unit, 1.0));
  unit.thermal = ThermalBudget{400.0, 600.0};
  EXPECT_FALSE(warm_up(work, unit, 1.0));  // 100 W idle and 300 at work
  unit.thermal = ThermalBudget{250.0, 600.0};
  const auto warm = warm_up(work, unit, 1.0);
  ASSERT_TRUE(warm);
  // 150 W too much for 4 s. Power above idle goes by the square of the clock: 150 of 300 W.
  EXPECT_DOUBLE_EQ(warm->after_s, 4.0);
  EXPECT_NEAR(warm->clock, std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(warm->step_s, std::sqrt(2.0), 1e-9);
}

TEST(Power, WhatTheClockDoesNotStretchCannotBringThePowerDown) {
  const PoweredWork work{.step_s = 1.0, .fixed_joules = 900.0};
  EXPECT_NEAR(sustained_clock(work, made_unit()), 0.4, 1e-9);
}

TEST(Power, AProductDrawsByTimeAndArithmeticAnythingElseByTime) {
  PowerUnit unit = made_unit();
  unit.busy_watts = 10.0;
  unit.traffic_watts = 7.0;
  unit.flop_joules[static_cast<std::size_t>(Dtype::Float32)] = 0.5;
  const Trace product =
      single_op("matmul", {{"m", 2}, {"k", 3}, {"n", 4}}, Dtype::Float32, {}, false);
  const Trace copy = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false);
  PoweredWork work;
  work.add(unit, product.calls().front(), product.cost(), {2.0, 2.0}, 3.0);
  EXPECT_DOUBLE_EQ(work.scaled_s, 6.0);
  EXPECT_DOUBLE_EQ(work.scaled_joules, 3.0 * (10.0 * 2.0 + 48.0 * 0.5));
  work.add(unit, copy.calls().front(), copy.cost(), {2.0, 2.0}, 3.0);
  EXPECT_DOUBLE_EQ(work.scaled_s, 6.0);
  EXPECT_DOUBLE_EQ(work.fixed_joules, 3.0 * 7.0 * 2.0);
}

TEST(Power, WhatAConstantAndATimeAreWrongByAddsUpByTheConstant) {
  PowerUnit unit = made_unit();
  unit.busy_watts = 10.0;
  unit.traffic_watts = 7.0;
  unit.flop_joules[static_cast<std::size_t>(Dtype::Float32)] = 0.5;
  const auto place = [](PowerPart part) { return static_cast<std::size_t>(part); };
  unit.errors.parts[place(PowerPart::Busy)] = 0.1;
  unit.errors.traffic = 0.2;
  unit.errors.flops[static_cast<std::size_t>(Dtype::Float32)] = 0.25;
  const Trace product =
      single_op("matmul", {{"m", 2}, {"k", 3}, {"n", 4}}, Dtype::Float32, {}, false);
  const Trace copy = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false);
  PoweredWork work;
  work.add(unit, product.calls().front(), product.cost(), {2.0, 2.0}, 3.0, 0.5);
  work.add(unit, copy.calls().front(), copy.cost(), {2.0, 2.0}, 3.0, 0.1);
  work.add(unit, copy.calls().front(), copy.cost(), {2.0, 2.0}, 3.0, 0.1);
  EXPECT_DOUBLE_EQ(work.constants_off[place(PowerPart::Busy)], 0.1 * 60.0);
  EXPECT_DOUBLE_EQ(work.constants_off[place(PowerPart::Flops)], 0.25 * 72.0);
  EXPECT_DOUBLE_EQ(work.constants_off[place(PowerPart::Other)], 0.2 * 84.0);
  // Arithmetic takes what it takes, however long.
  EXPECT_DOUBLE_EQ(work.times_off[place(PowerPart::Busy)], 0.5 * 60.0);
  EXPECT_EQ(work.times_off[place(PowerPart::Flops)], 0.0);
  EXPECT_DOUBLE_EQ(work.times_off[place(PowerPart::Other)], 0.1 * 84.0);
}

TEST(Power, AnIntervalTakesConstantsApartAndAStepsSecondsTogether) {
  PowerUnit unit = made_unit();
  unit.errors.idle = 0.1;
  PoweredWork work{.step_s = 1.0, .scaled_s = 0.5, .scaled_joules = 100.0, .fixed_joules = 50.0};
  work.constants_off[static_cast<std::size_t>(PowerPart::Busy)] = 3.0;
  work.constants_off[static_cast<std::size_t>(PowerPart::Flops)] = 4.0;
  work.times_off[static_cast<std::size_t>(PowerPart::Other)] = 5.0;
  const Interval found = joules_bounds(work, unit, 1.0, {0.9, 1.2}, 100.0);
  const double constants = 9.0 + 16.0 + 100.0;  // 10 J of idling
  EXPECT_NEAR(found.lo, 250.0 - std::sqrt(constants + 15.0 * 15.0), 1e-9);
  EXPECT_NEAR(found.hi, 250.0 + std::sqrt(constants + 25.0 * 25.0), 1e-9);
  // Half a second longer at half the clock, whose products take half.
  const Interval slow = joules_bounds(work, unit, 0.5, {1.5, 1.5}, 100.0);
  EXPECT_NEAR(slow.hi - 250.0, std::sqrt(2.25 + 4.0 + 225.0 + 25.0), 1e-9);
  unit.board_watts = 225.0;
  EXPECT_DOUBLE_EQ(joules_bounds(work, unit, 1.0, {0.9, 1.2}, 100.0).hi, 225.0 * 1.2);
  EXPECT_EQ(joules_bounds(work, unit, 1.0, {0.9, 1.2}, 100.0).lo, found.lo);
  // Never below nothing.
  EXPECT_NEAR(joules_bounds(work, unit, 1.0, {0.9, 1.2}, 1e4).lo, 25.0, 1e-9);
}

TEST(Power, WhatTheBoardDrawsIsAsUncertainAsItsWatts) {
  PowerUnit unit = made_unit();
  const PoweredWork work{
      .step_s = 1.0, .scaled_s = 0.5, .scaled_joules = 300.0, .fixed_joules = 80.0};
  const double exact = joules_bounds(work, unit, 1.0, {0.9, 1.1}, 100.0).hi - 480.0;
  EXPECT_NEAR(exact, 10.0, 1e-9);
  unit.errors.board = 0.3;
  const Interval found = joules_bounds(work, unit, 1.0, {0.9, 1.1}, 100.0);
  EXPECT_NEAR(found.lo, 480.0 - std::hypot(0.3 * 480.0, 10.0), 1e-9);
  // 500 W that are known: no more than those, however uncertain what its parts draw.
  EXPECT_DOUBLE_EQ(found.hi, 500.0 * 1.1);
  unit.errors.limit = 0.3;
  EXPECT_NEAR(joules_bounds(work, unit, 1.0, {0.9, 1.1}, 100.0).hi,
              480.0 + std::hypot(0.3 * 480.0, 10.0), 1e-9);
}

TEST(Power, AKernelOnAsManyBytesAsTheHalfDrawsHalf) {
  PowerUnit unit = made_unit();
  unit.traffic_watts = 8.0;
  unit.half_bytes = 64.0;  // as a copy of 8 floats reads and writes
  const Trace copy = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false);
  PoweredWork work;
  work.add(unit, copy.calls().front(), copy.cost(), {2.0, 2.0});
  EXPECT_DOUBLE_EQ(work.fixed_joules, 0.5 * 8.0 * 2.0);
}

TEST(Power, AttentionDrawsItsOwnAndFollowsTheClock) {
  PowerUnit unit = made_unit();
  unit.traffic_watts = 8.0;
  unit.core_watts = 5.0;
  const Trace attention = single_op(
      "attention", {{"batch", 1}, {"heads", 1}, {"queries", 2}, {"keys", 2}, {"head_dim", 2}},
      Dtype::Float32, {}, false);
  PoweredWork work;
  work.add(unit, attention.calls().front(), attention.cost(), {2.0, 2.0});
  EXPECT_DOUBLE_EQ(work.scaled_joules, 5.0 * 2.0);
  EXPECT_EQ(work.scaled_s, 2.0);
  EXPECT_EQ(work.fixed_joules, 0.0);
}

// In 5 s, whose traffic would take 4 and whose cores 3.
TEST(Power, AKernelDrawsAsAStreamWhileItsTrafficDecidesAndAsBusyCoresForTheRest) {
  PowerUnit unit = made_unit();
  unit.traffic_watts = 10.0;
  unit.core_watts = 100.0;
  const auto other = static_cast<std::size_t>(PowerPart::Other);
  unit.errors.parts[other] = 0.5;
  unit.errors.traffic = 0.25;
  const Trace norm = single_op("layer_norm", {{"rows", 2}, {"n", 4}}, Dtype::Float32, {}, false);
  const OpCall& call = norm.calls().front();
  const WorkSeconds kernel{5.0, 4.0};
  PoweredWork work;
  work.add(unit, call, norm.cost(), kernel, 2.0);
  EXPECT_DOUBLE_EQ(work.scaled_joules, 2.0 * 100.0);
  EXPECT_DOUBLE_EQ(work.fixed_joules, 2.0 * 40.0);
  EXPECT_DOUBLE_EQ(work.constants_off[other], 0.5 * 200.0 + 0.25 * 80.0);
  // Of 25 s², 9 are its cores'.
  EXPECT_DOUBLE_EQ(work.scaled_s, 2.0 * 9.0 / 5.0);
  EXPECT_EQ(clocked_s(call, {5.0, 5.0}), 0.0);
  EXPECT_EQ(clocked_s(call, {}), 0.0);
}

TEST(Power, AProductOfAsManyBytesAsItsHalfIsHalfBusy) {
  PowerUnit unit = made_unit();
  unit.busy_watts = 10.0;
  unit.busy_half_bytes = 4.0 * (2 * 3 + 3 * 4 + 2 * 4);
  const Trace product =
      single_op("matmul", {{"m", 2}, {"k", 3}, {"n", 4}}, Dtype::Float32, {}, false);
  PoweredWork work;
  work.add(unit, product.calls().front(), product.cost(), {2.0, 2.0});
  EXPECT_DOUBLE_EQ(work.scaled_joules, 0.5 * 10.0 * 2.0);
}

TEST(Power, ABatchNormDrawsByTheCoresThatHaveAChannelAndByItsBytes) {
  PowerUnit unit = made_unit();
  unit.traffic_watts = 1000.0;
  unit.row_watts = 8.0;
  unit.cores = 6;
  unit.row_byte_joules = 0.25;
  const Trace norm = single_op("batch_norm", {{"outer", 2}, {"channels", 3}, {"inner", 4}},
                               Dtype::Float32, {}, false);
  const auto bytes = double(norm.cost().bytes());
  PoweredWork work;
  work.add(unit, norm.calls().front(), norm.cost(), {2.0, 2.0});
  EXPECT_DOUBLE_EQ(work.fixed_joules, 0.5 * 8.0 * 2.0 + 0.25 * bytes);
  unit.row_half_bytes = bytes;
  PoweredWork cached;
  cached.add(unit, norm.calls().front(), norm.cost(), {2.0, 2.0});
  EXPECT_DOUBLE_EQ(cached.fixed_joules, 0.5 * 8.0 * 2.0 + 0.5 * 0.25 * bytes);
}

// 100 columns of 10 numbers of 4 bytes and their sums: 4040 bytes, streamed in 4.04 s.
TEST(Power, ASumAlongRowsDrawsWhatItStreamsAndWaitsForTheRest) {
  PowerUnit unit = made_unit();
  unit.traffic_watts = 7.0;
  unit.stream_bytes_per_s = 1000.0;
  const std::array<std::int64_t, 3> dims{1, 10, 100};
  OpCall sum = make_call(find_op("sum"), dims, Dtype::Float32, {});
  const auto joules = [&](const OpCall& call, double kernel_s) {
    PoweredWork work;
    work.add(unit, call, cost_of(call), {kernel_s, kernel_s});
    return work.fixed_joules;
  };
  const double streamed_s = double(cost_of(sum).bytes()) / 1000.0;
  EXPECT_DOUBLE_EQ(joules(sum, 100.0), 7.0 * streamed_s);
  EXPECT_DOUBLE_EQ(joules(sum, 1.0), 7.0);
  sum.crosses = true;  // of channels: cores are busy all the time
  EXPECT_DOUBLE_EQ(joules(sum, 100.0), 700.0);
}

}  // namespace
}  // namespace siliconprof
