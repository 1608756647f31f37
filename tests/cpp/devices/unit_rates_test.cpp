#include "siliconprof/devices/unit_rates.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

Device device_of_ten_cores() {
  Device device = made_device();
  device.numbers["compute.cores"] = made_number(10);
  return device;
}

TEST(UnitRates, AttentionNeedsEveryConstantOnceItHasItsReach) {
  Framework framework = made_framework();
  EXPECT_FALSE(attention_rates(device_of_ten_cores(), framework, Dtype::Float32)[0]);
  const std::string stem = "attention.apple.float32.forward.";
  framework.numbers[stem + "reach"] = made_number(0.5);
  EXPECT_THROW(attention_rates(device_of_ten_cores(), framework, Dtype::Float32), DeviceError);
  for (const char* key : {"tile", "start_s", "block_tiles", "alone", "tail"}) {
    framework.numbers[stem + key] = made_number(2.0);
  }
  const auto rates = attention_rates(device_of_ten_cores(), framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_FALSE(rates[1]);
  EXPECT_DOUBLE_EQ(rates[0]->unit.core_flops_per_s, 1e12);
  EXPECT_EQ(rates[0]->unit.cores, 10);
  // Less than one core or key is one: both are divided by.
  framework.numbers[stem + "tile"] = made_number(0.2);
  Device device = device_of_ten_cores();
  device.numbers["compute.cores"] = made_number(0.2);
  const AttentionUnit least = attention_rates(device, framework, Dtype::Float32)[0]->unit;
  EXPECT_EQ(least.tile, 1);
  EXPECT_EQ(least.cores, 1);
}

TEST(UnitRates, ANumberIsTheNearestScopesAndAPlainOneServesLast) {
  Framework framework = made_framework();
  const auto found = [&] { return find_scoped(made_device(), framework, "row", "sum.rate"); };
  EXPECT_EQ(found(), nullptr);
  framework.numbers["row.apple-m1.sum.rate"] = made_number(9.0);
  EXPECT_EQ(found(), nullptr);
  double value = 1.0;
  for (const char* key :
       {"row.sum.rate", "row.any.sum.rate", "row.apple.sum.rate", "row.apple-m2.sum.rate"}) {
    framework.numbers[key] = made_number(value);
    ASSERT_NE(found(), nullptr);
    EXPECT_EQ(found()->value, value) << key;
    value += 1.0;
  }
}

TEST(UnitRates, TheHostsCostIsByPhaseAndOfAnOptimizersTensorsAlsoWhereTheyJoin) {
  Framework framework = made_framework();
  framework.numbers["issue.apple.optimizer.adamw_s"] = made_number(3e-6);
  framework.numbers["issue.apple.forward.add_s"] = made_number(2e-6);
  framework.numbers["issue.apple.backward.add_s"] = made_number(4e-6);
  const Rates rates = look_up_rates(made_device(), framework);
  OpCall call;
  call.op = &find_op("add");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 2e-6);
  call.phase = Phase::Backward;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 4e-6);
  call.op = &find_op("relu");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 5e-6);  // that of any launch
  call.joins_launch = true;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 0.0);
  call.op = &find_op("adamw");
  call.phase = Phase::Optimizer;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 3e-6);
}

TEST(UnitRates, AForwardOpThatABackwardPassRunsAgainIsIssuedAsBefore) {
  Framework framework = made_framework();
  framework.numbers["issue.apple.forward.attention_s"] = made_number(9e-6);
  framework.numbers["issue.apple.forward.attention.float16_s"] = made_number(8e-6);
  const Rates rates = look_up_rates(made_device(), framework);
  OpCall call;
  call.op = &find_op("attention");
  call.phase = Phase::Backward;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 9e-6);
  call.dtype = Dtype::Float16;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 8e-6);
  call.phase = Phase::Optimizer;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 5e-6);  // that of any launch
}

TEST(UnitRates, TheHostsCostOfADtypeStandsBesideThatOfAll) {
  Framework framework = made_framework();
  framework.numbers["issue.apple.forward.conv2d_s"] = made_number(2e-6);
  framework.numbers["issue.apple.forward.conv2d.float16_s"] = made_number(7e-6);
  framework.numbers["issue.apple.forward.add.float16_s"] = made_number(9e-6);  // beside none
  const Rates rates = look_up_rates(made_device(), framework);
  OpCall call;
  call.op = &find_op("conv2d");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 2e-6);
  call.dtype = Dtype::Float16;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 7e-6);
  call.op = &find_op("add");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 5e-6);  // that of any launch
}

TEST(UnitRates, AHostOfAnotherPaceTakesLongerForEveryCallAndAKernelNoLonger) {
  Framework framework = made_framework();
  framework.numbers["issue.apple.forward.add_s"] = made_number(2e-6);
  framework.numbers["launch.apple.kernel_s"] = made_number(1e-6);
  Device device = made_device();
  device.numbers["host.pace"] = made_number(0.5);
  const Rates rates = look_up_rates(device, framework);
  OpCall call;
  call.op = &find_op("add");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 4e-6);
  call.op = &find_op("relu");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 10e-6);
  EXPECT_DOUBLE_EQ(rates.kernel_s, 1e-6);
}

TEST(UnitRates, ACpuHasNoHostWithAPace) {
  Framework framework = made_framework();
  framework.vendors = {"cpu"};
  Device device = made_device();
  device.vendor = "cpu";
  device.numbers["host.pace"] = made_number(0.5);
  OpCall call;
  call.op = &find_op("add");
  EXPECT_DOUBLE_EQ(look_up_rates(device, framework).issue_s(call), 5e-6);
}

TEST(UnitRates, AccessIsOfAnOpAndScalesWithCoresAndTheirClock) {
  Framework framework = made_framework();
  framework.numbers["access.apple.gather.elements_per_cycle"] = made_number(0.1);
  framework.numbers["access.apple.sum.short_part"] = made_number(0.5);
  framework.numbers["access.apple.matmul.few_tiles_part"] = made_number(0.25);
  Device device = device_of_ten_cores();
  device.numbers["compute.clock_hz"] = made_number(1e9);
  const Rates rates = look_up_rates(device, framework);
  EXPECT_DOUBLE_EQ(rates.facts_of(find_op("gather"))->access.elements_per_s.value(), 1e9);
  EXPECT_EQ(rates.facts_of(find_op("sum"))->access.short_part, 0.5);
  EXPECT_EQ(rates.facts_of(find_op("matmul"))->access.cores, 10);
  EXPECT_EQ(rates.facts_of(find_op("scatter")), nullptr);
}

TEST(UnitRates, RowsGoByCoresAndTheirClock) {
  Framework framework = made_framework();
  framework.numbers["access.apple.argmax.row_cycles"] = made_number(200.0);
  Device device = device_of_ten_cores();
  EXPECT_FALSE(look_up_rates(device, framework).facts_of(find_op("argmax"))->access.rows_per_s);
  device.numbers["compute.clock_hz"] = made_number(1e9);
  const Rates rates = look_up_rates(device, framework);
  EXPECT_DOUBLE_EQ(rates.facts_of(find_op("argmax"))->access.rows_per_s.value(), 10 * 1e9 / 200);
}

/// A framework whose products and attention were fitted on cores of so many FLOPs in a cycle; the
/// device's ten of 1 GHz have 1000.
Framework fitted_on_cores_of(double flops_per_cycle) {
  Framework framework = made_framework();
  const std::string product = "product.apple.float32.";
  for (const char* key : {"tile_loss", "depth_loss", "start_s", "split_s", "bandwidth"}) {
    framework.numbers[product + key] = made_number(8.0);
  }
  for (const char* key : {"reach", "unaligned", "turned"}) {
    framework.numbers[product + key] = made_number(0.5);
  }
  for (const char* key : {"reach", "tile", "start_s", "block_tiles", "alone", "tail"}) {
    framework.numbers["attention.apple.float32.forward." + std::string(key)] = made_number(0.5);
  }
  framework.numbers[product + "core_flops_per_cycle"] = made_number(flops_per_cycle);
  return framework;
}

TEST(UnitRates, CoresOfLessArithmeticLoseLessOfItToTheSameCycles) {
  Device device = device_of_ten_cores();
  device.numbers["compute.clock_hz"] = made_number(1e9);
  const Framework framework = fitted_on_cores_of(4000);
  const auto product = product_rate(device, framework, Dtype::Float32);
  ASSERT_TRUE(product);
  EXPECT_DOUBLE_EQ(product->unit.strength, 0.25);
  EXPECT_DOUBLE_EQ(product->unit.tile_loss, 8.0);
  EXPECT_DOUBLE_EQ(product->unit.start_s, 8.0);
  EXPECT_DOUBLE_EQ(product->unit.reach, 0.5);  // a family's own
  const auto attention = attention_rates(device, framework, Dtype::Float32)[0];
  ASSERT_TRUE(attention);
  // Half of the time was arithmetic; the other half is a quarter of it here.
  EXPECT_DOUBLE_EQ(attention->unit.reach, 0.8);
  // A tile takes 0.25 · 0.5 / 0.8 of the cycles that it took there: what half of one took is 0.2.
  EXPECT_DOUBLE_EQ(attention->unit.block_tiles, 0.2);
  EXPECT_DOUBLE_EQ(attention->unit.tail, 0.5);
}

TEST(UnitRates, OfTheCoresThatConstantsWereFittedOnTheyHoldAsTheyAre) {
  Device device = device_of_ten_cores();
  for (const bool knows_its_clock : {false, true}) {
    if (knows_its_clock) device.numbers["compute.clock_hz"] = made_number(1e9);
    const double fitted = knows_its_clock ? 1000.0 : 4000.0;  // without a clock nothing is known
    const auto product = product_rate(device, fitted_on_cores_of(fitted), Dtype::Float32);
    ASSERT_TRUE(product);
    EXPECT_DOUBLE_EQ(product->unit.strength, 1.0);
  }
}

}  // namespace
}  // namespace siliconprof
