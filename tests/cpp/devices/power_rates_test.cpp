#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "devices/made_device.h"
#include "siliconprof/devices/unit_rates.h"

namespace siliconprof {
namespace {

Device board_of_ten_cores() {
  Device device = made_device();
  device.numbers["compute.cores"] = made_number(10);
  device.numbers["power.board_watts"] = made_number(200);
  return device;
}

Framework framework_with_power() {
  Framework framework = made_framework();
  for (const char* key : {"idle_part", "busy_part", "other_part", "float32.peak_part"}) {
    framework.numbers[std::string("power.apple.") + key] = made_number(0.25);
  }
  framework.numbers["power.apple.clock_exponent"] = made_number(2.0);
  return framework;
}

TEST(PowerRates, PowersArePartsOfTheBoards) {
  EXPECT_FALSE(power_unit(board_of_ten_cores(), made_framework()));
  const auto unit = power_unit(board_of_ten_cores(), framework_with_power());
  ASSERT_TRUE(unit);
  EXPECT_DOUBLE_EQ(unit->idle_watts, 50.0);
  EXPECT_DOUBLE_EQ(unit->flop_joules[std::size_t(Dtype::Float32)].value(), 50.0 / 1e13);
  EXPECT_FALSE(unit->flop_joules[std::size_t(Dtype::Float16)]);
}

TEST(PowerRates, ALimitChangesWhatTheBoardMayDrawAndNotWhatItsPartsDo) {
  Device device = board_of_ten_cores();
  device.numbers["power.limit_watts"] = made_number(120);
  const auto unit = power_unit(device, framework_with_power());
  const auto whole = power_unit(board_of_ten_cores(), framework_with_power());
  EXPECT_EQ(unit->board_watts, 120.0);
  EXPECT_EQ(unit->idle_watts, whole->idle_watts);
  EXPECT_EQ(unit->flop_joules, whole->flop_joules);
}

TEST(PowerRates, AFamilysEnergyOfAFlopStandsBeforeAPartOfTheBoard) {
  Framework framework = framework_with_power();
  framework.numbers["power.apple-m2.float32.flop_joules"] = made_number(3e-12);
  framework.numbers["power.apple-m1.float16.flop_joules"] = made_number(4e-12);
  const auto unit = power_unit(board_of_ten_cores(), framework);
  EXPECT_EQ(unit->flop_joules[std::size_t(Dtype::Float32)].value(), 3e-12);
  EXPECT_FALSE(unit->flop_joules[std::size_t(Dtype::Float16)]);
}

TEST(PowerRates, WhatStreamsDrawsByItsCoresAndTheBandwidthWhereThatIsKnown) {
  Framework framework = framework_with_power();
  Device device = board_of_ten_cores();
  device.numbers["memory.bandwidth_bytes_per_s"] = made_number(1e12);
  EXPECT_DOUBLE_EQ(power_unit(device, framework)->traffic_watts, 50.0);
  framework.numbers["power.apple.stream_part"] = made_number(0.1);
  framework.numbers["power.apple.stream_byte_joules"] = made_number(4e-11);
  EXPECT_DOUBLE_EQ(power_unit(device, framework)->traffic_watts, 0.1 * 200.0 + 4e-11 * 1e12);
  EXPECT_DOUBLE_EQ(power_unit(device, framework)->core_watts, 50.0);
}

TEST(PowerRates, ErrorsAreThoseOfTheConstants) {
  Framework framework = framework_with_power();
  framework.numbers["power.apple.idle_part"].relative_error = 0.1;
  framework.numbers["power.apple.busy_part"].relative_error = 0.2;
  framework.numbers["power.apple.other_part"].relative_error = 0.3;
  framework.numbers["power.apple.float32.peak_part"].relative_error = 0.4;
  Device device = board_of_ten_cores();
  device.numbers["memory.bandwidth_bytes_per_s"] = made_number(1e12);
  const PowerErrors errors = power_unit(device, framework)->errors;
  EXPECT_EQ(errors.idle, 0.1);
  EXPECT_EQ(errors.of(PowerPart::Busy, Dtype::Float32), 0.2);
  EXPECT_EQ(errors.of(PowerPart::Attention, Dtype::Float32), 0.3);
  EXPECT_EQ(errors.of(PowerPart::Other, Dtype::Float32), 0.3);
  EXPECT_EQ(errors.traffic, 0.3);
  EXPECT_EQ(errors.of(PowerPart::Flops, Dtype::Float32), 0.4);
  EXPECT_EQ(errors.of(PowerPart::Flops, Dtype::Float16), 0.0);
  // Of streams' 60 W 20 are the cores' and 40 the bytes', which err apart.
  framework.numbers["power.apple.stream_part"] = made_number(0.1, 0.1);
  framework.numbers["power.apple.stream_byte_joules"] = made_number(4e-11, 0.2);
  framework.numbers["power.apple-m2.float32.flop_joules"] = made_number(3e-12, 0.5);
  const PowerErrors finer = power_unit(device, framework)->errors;
  EXPECT_DOUBLE_EQ(finer.traffic, std::hypot(2.0, 8.0) / 60.0);
  EXPECT_EQ(finer.of(PowerPart::Other, Dtype::Float32), 0.3);
  EXPECT_EQ(finer.of(PowerPart::Attention, Dtype::Float32), 0.3);
  EXPECT_EQ(finer.of(PowerPart::Flops, Dtype::Float32), 0.5);
}

TEST(PowerRates, WattsThatAreAssumedMakeAllPartsUncertainAndALimitThatIsSetIsExact) {
  Device device = board_of_ten_cores();
  device.numbers["power.board_watts"] = made_number(200, 0.3);
  const PowerErrors errors = power_unit(device, framework_with_power())->errors;
  EXPECT_EQ(errors.board, 0.3);
  EXPECT_EQ(errors.limit, 0.3);
  device.numbers["power.limit_watts"] = made_number(120);
  const PowerErrors held = power_unit(device, framework_with_power())->errors;
  EXPECT_EQ(held.board, 0.3);
  EXPECT_EQ(held.limit, 0.0);
}

TEST(PowerRates, ABatchNormsAreOnlyWhereTheFrameworkHasThem) {
  Framework framework = framework_with_power();
  EXPECT_EQ(power_unit(board_of_ten_cores(), framework)->row_watts, 0.0);
  framework.numbers["power.apple.row_part"] = made_number(0.5);
  framework.numbers["power.apple.row_stream_part"] = made_number(0.75);
  framework.numbers["power.apple.row_half_bytes"] = made_number(64.0);
  framework.numbers["power.apple.busy_half_bytes"] = made_number(32.0);
  Device device = board_of_ten_cores();
  device.numbers["memory.bandwidth_bytes_per_s"] = made_number(1e9);
  const auto unit = power_unit(device, framework);
  EXPECT_DOUBLE_EQ(unit->row_watts, 100.0);
  EXPECT_DOUBLE_EQ(unit->row_byte_joules, 150.0 / 1e9);
  EXPECT_EQ(unit->row_half_bytes, 64.0);
  EXPECT_EQ(unit->busy_half_bytes, 32.0);
  EXPECT_EQ(unit->cores, 10);
}

}  // namespace
}  // namespace siliconprof
