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
  device.numbers["power.board_watts"] = made_number(200);
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

TEST(UnitRates, AFamilysNumberComesBeforeItsVendors) {
  Framework framework = made_framework();
  framework.numbers["convolution.apple.float32.forward.work"] = made_number(2.0);
  framework.numbers["convolution.apple.float32.forward.start_s"] = made_number(1e-6);
  framework.numbers["convolution.apple-m2.float32.forward.work"] = made_number(3.0);
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_EQ(rates[0]->unit.work, 3.0);
  EXPECT_EQ(rates[0]->unit.copy_bytes_per_s, 0.0);
}

TEST(UnitRates, AConvolutionsTransformsAreBySizeAndNeedEveryConstant) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  framework.numbers[stem + "work"] = made_number(2.0);
  framework.numbers[stem + "start_s"] = made_number(1e-6);
  framework.numbers[stem + "fourier_32.work"] = made_number(1.5);
  EXPECT_THROW(convolution_rates(made_device(), framework, Dtype::Float32), DeviceError);
  for (const char* key : {"elements", "most_elements", "side", "channels", "most_channels"}) {
    framework.numbers[stem + "fourier_32." + key] = made_number(64.0);
  }
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_EQ(rates[0]->unit.fourier[0].tile, 0);
  EXPECT_EQ(rates[0]->unit.fourier[1].tile, 32);
  EXPECT_EQ(rates[0]->unit.fourier[1].work, 1.5);
}

TEST(UnitRates, GradientsOfWeightsHaveConstantsOfTheirOwnWhereThereAreSome) {
  Framework framework = made_framework();
  for (const char* direction : {"backward", "weight"}) {
    const std::string stem = "convolution.apple.float32." + std::string(direction) + ".";
    framework.numbers[stem + "start_s"] = made_number(1e-6);
  }
  framework.numbers["convolution.apple.float32.backward.work"] = made_number(2.0);
  EXPECT_EQ(convolution_rates(made_device(), framework, Dtype::Float32)[2].value().unit.work, 2.0);
  framework.numbers["convolution.apple.float32.weight.work"] = made_number(3.0);
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  EXPECT_EQ(rates[1].value().unit.work, 2.0);
  EXPECT_EQ(rates[2].value().unit.work, 3.0);
}

TEST(UnitRates, PowersArePartsOfTheBoards) {
  Framework framework = made_framework();
  EXPECT_FALSE(power_unit(device_of_ten_cores(), framework));
  for (const char* key : {"idle_part", "busy_part", "other_part", "float32.peak_part"}) {
    framework.numbers[std::string("power.apple.") + key] = made_number(0.25);
  }
  framework.numbers["power.apple.clock_exponent"] = made_number(2.0);
  const auto unit = power_unit(device_of_ten_cores(), framework);
  ASSERT_TRUE(unit);
  EXPECT_DOUBLE_EQ(unit->idle_watts, 50.0);
  EXPECT_DOUBLE_EQ(unit->flop_joules[std::size_t(Dtype::Float32)].value(), 50.0 / 1e13);
  EXPECT_FALSE(unit->flop_joules[std::size_t(Dtype::Float16)]);
}

TEST(UnitRates, TheHostsCostIsByPhaseAndOfAnOptimizersTensorsAlsoWhereTheyJoin) {
  Framework framework = made_framework();
  framework.numbers["issue.apple.optimizer.adamw_s"] = made_number(3e-6);
  framework.numbers["issue.apple.forward.add_s"] = made_number(2e-6);
  const Rates rates = look_up_rates(made_device(), framework);
  OpCall call;
  call.op = &find_op("add");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 2e-6);
  call.phase = Phase::Backward;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 5e-6);  // that of any launch
  call.joins_launch = true;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 0.0);
  call.op = &find_op("adamw");
  call.phase = Phase::Optimizer;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 3e-6);
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
  call.phase = Phase::Backward;
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

TEST(UnitRates, ConvolutionsWithAReachHaveTilesAndNeedEveryConstant) {
  Framework framework = made_framework();
  const std::string stem = "convolution.apple.float32.forward.";
  framework.numbers[stem + "reach"] = made_number(0.5, 0.1);
  EXPECT_THROW(convolution_rates(made_device(), framework, Dtype::Float32), DeviceError);
  for (const char* key : {"start_s", "bandwidth", "outputs_tile", "channels_tile"}) {
    framework.numbers[stem + key] = made_number(1.0);
  }
  const auto rates = convolution_rates(made_device(), framework, Dtype::Float32);
  ASSERT_TRUE(rates[0]);
  EXPECT_DOUBLE_EQ(rates[0]->unit.flops_per_s, 5e12);
  EXPECT_EQ(rates[0]->unit.unfolded_elements_per_s, 0.0);
  framework.numbers[stem + "channels_tile"] = made_number(0.1);
  EXPECT_EQ(convolution_rates(made_device(), framework, Dtype::Float32)[0]->unit.channels_tile, 1);
  framework.numbers[stem + "unfolded_per_flop"] = made_number(1e-3);
  const auto unfolding = convolution_rates(made_device(), framework, Dtype::Float32);
  EXPECT_DOUBLE_EQ(unfolding[0].value().unit.unfolded_elements_per_s, 1e10);
  EXPECT_EQ(unfolding[0].value().unit.row_outputs_tile, 1);
  EXPECT_EQ(unfolding[0].value().unit.copy_bytes_per_s, 0.0);
  framework.numbers[stem + "row_outputs_tile"] = made_number(64.0);
  framework.numbers[stem + "copy"] = made_number(0.5);
  const auto own = convolution_rates(made_device(), framework, Dtype::Float32);
  const double bytes_per_s = made_device().numbers.at("memory.bandwidth_bytes_per_s").value;
  EXPECT_EQ(own[0].value().unit.row_outputs_tile, 64);
  EXPECT_DOUBLE_EQ(own[0].value().unit.copy_bytes_per_s, 0.5 * bytes_per_s);
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

}  // namespace
}  // namespace siliconprof
