#include "siliconprof/devices/rates.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

const ClassRates& of(const Rates& rates, OpClass op_class) {
  return rates.by_class[static_cast<std::size_t>(op_class)];
}

TEST(Rates, ArePeakTimesEfficiency) {
  const Rates rates = look_up_rates(made_device(), made_framework());
  const ClassRates& product = of(rates, OpClass::MatrixProduct);
  EXPECT_DOUBLE_EQ(product.matrix[static_cast<std::size_t>(Dtype::Float32)]->per_s, 5e12);
  EXPECT_DOUBLE_EQ(product.matrix[static_cast<std::size_t>(Dtype::Float32)]->relative_error, 0.2);
  EXPECT_DOUBLE_EQ(product.bandwidth.per_s, 5e10);
  EXPECT_DOUBLE_EQ(rates.launch_s, 5e-6);
}

TEST(Rates, AreAbsentForADtypeThatTheDeviceLacks) {
  const Rates rates = look_up_rates(made_device(), made_framework());
  EXPECT_FALSE(of(rates, OpClass::MatrixProduct).matrix[static_cast<std::size_t>(Dtype::Float64)]);
}

TEST(Rates, PreferTheFamilyThenTheVendorThenAny) {
  Framework framework = made_framework();
  framework.numbers["efficiency.apple.elementwise.bandwidth"] = made_number(0.7);
  EXPECT_DOUBLE_EQ(efficiency(made_device(), framework, "elementwise.bandwidth").value, 0.7);
  framework.numbers["efficiency.apple-m2.elementwise.bandwidth"] = made_number(0.8);
  EXPECT_DOUBLE_EQ(efficiency(made_device(), framework, "elementwise.bandwidth").value, 0.8);
  EXPECT_DOUBLE_EQ(efficiency(made_device(), framework, "matrix_vector.bandwidth").value, 0.5);
}

TEST(Rates, PreferTheDtypeWithinAScope) {
  Framework framework = made_framework();
  framework.numbers["efficiency.any.matrix_product.compute.float16"] = made_number(0.9);
  const Rates rates = look_up_rates(made_device(), framework);
  EXPECT_DOUBLE_EQ(
      of(rates, OpClass::MatrixProduct).matrix[static_cast<std::size_t>(Dtype::Float16)]->per_s,
      3.6e13);
}

TEST(Rates, LaunchMayDifferByFamily) {
  Framework framework = made_framework();
  framework.numbers["launch.apple-m2.dispatch_s"] = made_number(9e-6);
  EXPECT_DOUBLE_EQ(look_up_rates(made_device(), framework).launch_s, 9e-6);
}

TEST(Rates, ALaunchBearsItsShareOfACommandBuffer) {
  Framework framework = made_framework();
  framework.numbers["launch.command_buffer_s"] = made_number(20e-6);
  framework.numbers["launch.ops_per_command_buffer"] = made_number(50);
  EXPECT_DOUBLE_EQ(look_up_rates(made_device(), framework).launch_s, 5e-6 + 0.4e-6);
}

TEST(Rates, AHostIssuesNoCallOfAGraph) {
  Framework framework = made_framework();
  framework.numbers["launch.any.issue_s"] = made_number(7e-6);
  framework.numbers["issue.any.forward.pass_s"] = made_number(1e-3);
  OpCall call = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false).calls().front();
  EXPECT_GT(look_up_rates(made_device(), framework).issue_s(call), 0.0);
  framework.numbers["launch.apple.graph_gap_s"] = made_number(1e-6);
  const Rates rates = look_up_rates(made_device(), framework);
  EXPECT_EQ(rates.graph_gap_s, 1e-6);
  EXPECT_EQ(rates.issue_s(call), 0.0);
  EXPECT_EQ(rates.passes.begin_s, PassCosts{}.begin_s);
}

TEST(Rates, AHostIssuesPassesThatAreGraphsWithWhatItDoesOnceInThem) {
  Framework framework = made_framework();
  framework.numbers["launch.any.issue_s"] = made_number(7e-6);
  framework.numbers["launch.apple.pass_gap_s"] = made_number(1e-6);
  framework.numbers["issue.any.forward.pass_s"] = made_number(1e-3);
  const Rates rates = look_up_rates(made_device(), framework);
  OpCall call = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false).calls().front();
  EXPECT_EQ(rates.issue_s(call), 7e-6);
  EXPECT_EQ(rates.passes.begin_s[0], 1e-3);
  EXPECT_EQ(rates.gap_s(Phase::Forward), 1e-6);
  EXPECT_EQ(rates.gap_s(Phase::Backward), 1e-6);
  EXPECT_EQ(rates.gap_s(Phase::Optimizer), 0.0);
  EXPECT_EQ(look_up_rates(made_device(), made_framework()).gap_s(Phase::Forward), 0.0);
}

TEST(Rates, ACallThatIsComputedAgainCostsItsHostAForwardCallAndWhatItsBlockDoesBesides) {
  Framework framework = made_framework();
  framework.numbers["issue.any.forward.copy_s"] = made_number(10e-6);
  framework.numbers["issue.any.backward.copy_s"] = made_number(3e-6);
  framework.numbers["issue.any.again.call_s"] = made_number(50e-6);
  framework.numbers["issue.any.again.block_s"] = made_number(700e-6);
  Device device = made_device();
  device.numbers["host.pace"] = made_number(0.5);
  const Rates rates = look_up_rates(device, framework);
  OpCall call = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false).calls().front();
  call.phase = Phase::Backward;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 3e-6 / 0.5);
  call.again = Again::Rest;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 60e-6 / 0.5);
  call.again = Again::First;
  EXPECT_DOUBLE_EQ(rates.issue_s(call), 760e-6 / 0.5);
  call.op = &find_op("cast_float16");
  EXPECT_DOUBLE_EQ(rates.issue_s(call), (rates.launch_s + 700e-6) / 0.5);
}

/// Its first kernel is the one that it joins.
TEST(Rates, AHostIssuesOfACallThatJoinsALaunchItsFurtherKernels) {
  Framework framework = made_framework();
  OpCall call = single_op("copy", {{"n", 8}}, Dtype::Float32, {}, false).calls().front();
  call.joins_launch = true;
  EXPECT_EQ(look_up_rates(made_device(), framework).issue_s(call), 0.0);
  framework.numbers["issue.any.forward.copy_s"] = made_number(15e-6);
  EXPECT_DOUBLE_EQ(look_up_rates(made_device(), framework).issue_s(call), 15e-6 - 5e-6);
  framework.numbers["issue.any.forward.copy_s"] = made_number(2e-6);
  EXPECT_EQ(look_up_rates(made_device(), framework).issue_s(call), 0.0);
  framework.numbers["issue.any.optimizer.copy_s"] = made_number(2e-6);
  call.phase = Phase::Optimizer;  // one by one
  EXPECT_DOUBLE_EQ(look_up_rates(made_device(), framework).issue_s(call), 2e-6);
}

TEST(Rates, AHostThatTheDeviceDoesNotTellOfIsTheFrameworks) {
  Framework framework = made_framework();
  EXPECT_EQ(look_up_rates(made_device(), framework).host_pace, 1.0);
  framework.numbers["host.pace"] = made_number(0.8);
  EXPECT_EQ(look_up_rates(made_device(), framework).host_pace, 0.8);
  Device device = made_device();
  device.numbers["host.pace"] = made_number(0.5);
  EXPECT_EQ(look_up_rates(device, framework).host_pace, 0.5);
  device.vendor = "cpu";
  EXPECT_EQ(look_up_rates(device, framework).host_pace, 1.0) << "it is its own host";
}

TEST(Rates, NameTheKeyThatIsMissing) {
  Device device = made_device();
  device.numbers.erase("memory.bandwidth_bytes_per_s");
  EXPECT_THROW(look_up_rates(device, made_framework()), DeviceError);
  Framework framework = made_framework();
  framework.numbers.erase("efficiency.any.outer_product.compute.any");
  EXPECT_THROW(look_up_rates(made_device(), framework), DeviceError);
}

TEST(StepBounds, KindsOfKernelsAndTheHostErrApart) {
  const Interval found =
      step_bounds(1.0, {0.03, 0.04, 0.0, 0.0}, {1.0, 1.0}, {0.12, 0.0}, {0.0, 0.0});
  EXPECT_DOUBLE_EQ(found.lo, 1.0 - 0.13);  // 3-4-5, then 5-12-13
  EXPECT_DOUBLE_EQ(found.hi, 1.0 + 0.05);
}

TEST(StepBounds, ShowOnlyWhatTheHostDoesNotHide) {
  const KindSeconds off_s{0.03, 0.0, 0.0, 0.01};
  const Interval part = shown(off_s, {0.01, 0.05});
  EXPECT_DOUBLE_EQ(part.lo, 0.25);
  EXPECT_DOUBLE_EQ(part.hi, 1.0);
  EXPECT_DOUBLE_EQ(shown({}, {0.0, 0.0}).hi, 0.0);
  EXPECT_DOUBLE_EQ(step_bounds(1.0, {0.04, 0.0, 0.0, 0.0}, part, {0.0, 0.0}, {0.0, 0.0}).lo, 0.99);
}

TEST(StepBounds, StayAboveATenthOfTheStep) {
  EXPECT_DOUBLE_EQ(step_bounds(1.0, {0.03}, {1.0, 1.0}, {0.0, 0.0}, {0.0, 0.04}).hi, 1.05);
  EXPECT_DOUBLE_EQ(step_bounds(1.0, {2.0, 0.0, 0.0, 0.0}, {1.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}).lo,
                   0.1);
}

}  // namespace
}  // namespace siliconprof
