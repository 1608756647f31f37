#include "siliconprof/devices/power.h"

#include <gtest/gtest.h>

namespace siliconprof {
namespace {

PowerUnit made_unit() {
  return {.board_watts = 500.0, .idle_watts = 100.0, .flop_joules = {}, .clock_exponent = 2.0};
}

TEST(Power, EnergyIsIdleAndWhatTheWorkTakes) {
  const PoweredWork work{.step_s = 2.0, .scaled_s = 1.0, .scaled_joules = 300.0, .fixed_joules = 50.0};
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

TEST(Power, WhatTheClockDoesNotStretchCannotBringThePowerDown) {
  const PoweredWork work{.step_s = 1.0, .fixed_joules = 900.0};
  EXPECT_NEAR(sustained_clock(work, made_unit()), 0.4, 1e-9);
}

}  // namespace
}  // namespace siliconprof
