#include "siliconprof/devices/causes.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

constexpr auto kProduct = static_cast<std::size_t>(OpClass::MatrixProduct);
constexpr auto kSingle = static_cast<std::size_t>(Dtype::Float32);
constexpr auto kHalf = static_cast<std::size_t>(Dtype::Float16);

Rates made_rates() { return look_up_rates(made_device(), made_framework()); }

// Float32 products at 1 TFLOP/s and float16's at 8, 200 GB/s, launches of 50 us.
Rates other_rates() {
  Device device = made_device();
  device.numbers["peak.matrix.float32_flops_per_s"].value = 2e12;
  device.numbers["peak.matrix.float16_flops_per_s"].value = 16e12;
  device.numbers["memory.bandwidth_bytes_per_s"].value = 4e11;
  Framework framework = made_framework();
  framework.numbers["launch.dispatch_s"].value = 50e-6;
  return look_up_rates(device, framework);
}

double product_rate(const Rates& rates, std::size_t dtype) {
  return rates.by_class[kProduct].matrix[dtype].value().per_s;
}

TEST(Mix, TheHostAndItsLinkBelongToTransfers) {
  Rates from = made_rates();
  const Rates to = look_up_rates(made_offloading_device(), made_offloading_framework());
  EXPECT_FALSE(mix(from, to, 0).offload);
  EXPECT_TRUE(mix(from, to, bit(Cause::Transfers)).offload);
}

TEST(Mix, TheHostsPaceBelongsToLaunches) {
  const Rates from = made_rates();
  Device device = made_device();
  device.numbers["host.pace"] = made_number(0.5);
  const Rates to = look_up_rates(device, made_framework());
  EXPECT_EQ(mix(from, to, bit(Cause::Launch)).host_pace, 0.5);
  EXPECT_EQ(mix(from, to, ~bit(Cause::Launch)).host_pace, 1.0);
}

TEST(Mix, GapsOfGraphsBelongToLaunches) {
  const Rates from = made_rates();
  for (const char* key : {"launch.apple.graph_gap_s", "launch.apple.pass_gap_s"}) {
    Framework framework = made_framework();
    framework.numbers[key] = made_number(1e-6);
    const Rates to = look_up_rates(made_device(), framework);
    EXPECT_EQ(mix(from, to, bit(Cause::Launch)).gap_s(Phase::Forward), 1e-6) << key;
    EXPECT_EQ(mix(from, to, ~bit(Cause::Launch)).gap_s(Phase::Forward), 0.0) << key;
  }
}

TEST(Mix, WhatCheckpointingCostsTheHostBelongsToLaunches) {
  const Rates from = made_rates();
  Framework framework = made_framework();
  framework.numbers["issue.apple.again.block_s"] = made_number(1e-3);
  framework.numbers["issue.apple.again.call_s"] = made_number(1e-5);
  const Rates to = look_up_rates(made_device(), framework);
  EXPECT_EQ(mix(from, to, bit(Cause::Launch)).again.block_s, 1e-3);
  EXPECT_EQ(mix(from, to, bit(Cause::Launch)).again.call_s, 1e-5);
  EXPECT_EQ(mix(from, to, ~bit(Cause::Launch)).again.block_s, 0.0);
}

TEST(Mix, WhatLiesAcrossBelongsToVectorKernels) {
  const Rates from = made_rates();
  Framework framework = made_framework();
  framework.numbers["access.apple.across.elements_per_cycle"] = made_number(0.5);
  const Rates to = look_up_rates(made_device(10.0, 1e9), framework);
  EXPECT_EQ(mix(from, to, bit(Cause::Vector)).across_elements_per_s, 5e9);
  EXPECT_EQ(mix(from, to, ~bit(Cause::Vector)).across_elements_per_s, 0.0);
}

TEST(Mix, OfNothingIsTheFirstAndOfAllTheSecond) {
  const Rates from = made_rates();
  const Rates to = other_rates();
  const PlayerSet all = (PlayerSet(1) << kCauseCount) - 1;
  EXPECT_EQ(product_rate(mix(from, to, 0), kHalf), product_rate(from, kHalf));
  EXPECT_EQ(product_rate(mix(from, to, all), kHalf), product_rate(to, kHalf));
  EXPECT_EQ(mix(from, to, all).launch_s, 50e-6);
  EXPECT_EQ(mix(from, to, all).by_class[kProduct].bandwidth.per_s, 2e11);
}

TEST(Mix, AFormatsRateIsTheOnesFloat32TimesTheOthersGain) {
  const Rates from = made_rates();  // 5 TFLOP/s, 4 times that in float16
  const Rates to = other_rates();   // 1 TFLOP/s, 8 times that
  const Rates matrix = mix(from, to, bit(Cause::Matrix));
  EXPECT_DOUBLE_EQ(product_rate(matrix, kSingle), 1e12);
  EXPECT_DOUBLE_EQ(product_rate(matrix, kHalf), 4e12);
  const Rates dtype = mix(from, to, bit(Cause::Dtype));
  EXPECT_DOUBLE_EQ(product_rate(dtype, kSingle), 5e12);
  EXPECT_DOUBLE_EQ(product_rate(dtype, kHalf), 40e12);
}

TEST(Mix, EachCauseBringsItsOwnConstantsAlone) {
  const Rates from = made_rates();
  const Rates to = other_rates();
  const Rates vector = mix(from, to, bit(Cause::Vector));
  EXPECT_EQ(vector.by_class[kProduct].bandwidth.per_s, 2e11);
  EXPECT_EQ(product_rate(vector, kSingle), 5e12);
  EXPECT_EQ(vector.launch_s, 5e-6);
  EXPECT_EQ(mix(from, to, bit(Cause::Launch)).launch_s, 50e-6);
  EXPECT_EQ(product_rate(mix(from, to, bit(Cause::Launch)), kSingle), 5e12);
}

TEST(Mix, HowDataAreWalkedBelongsToVectorKernels) {
  const Rates from = made_rates();
  Framework framework = made_framework();
  framework.numbers["access.apple.sum.short_part"] = made_number(0.5);
  const Rates to = look_up_rates(made_device(), framework);
  const Op& sum = find_op("sum");
  EXPECT_EQ(mix(from, to, bit(Cause::Vector)).facts_of(sum)->access.short_part, 0.5);
  EXPECT_EQ(mix(from, to, bit(Cause::Launch)).facts_of(sum)->access.short_part, 1.0);
}

TEST(Mix, TilesBelongToTheMatrixKernelsAndTheirTrafficToTheMemory) {
  Rates from = made_rates();
  const Rates to = other_rates();
  ProductUnit unit;
  unit.peak_flops_per_s = 10e12;
  unit.bytes_per_s = 7e10;
  unit.reach = 0.9;
  from.products[kSingle] = ProductRate{unit, 0.1};
  EXPECT_FALSE(mix(from, to, bit(Cause::Matrix)).products[kSingle]);
  const auto kept = mix(from, to, bit(Cause::Vector)).products[kSingle];
  EXPECT_DOUBLE_EQ(kept.value().unit.bytes_per_s, 2e11);
  EXPECT_DOUBLE_EQ(kept.value().unit.reach, 0.9);
  // Float16 on these tiles: 8 times quicker, as on the other, and half as wide.
  const auto half = mix(from, to, bit(Cause::Dtype)).products[kHalf];
  EXPECT_DOUBLE_EQ(half.value().unit.peak_flops_per_s, 80e12);
  EXPECT_DOUBLE_EQ(half.value().unit.element_bytes, 2.0);
}

TEST(CauseNames, HaveOneForEachCause) {
  EXPECT_EQ(cause_names().size(), kCauseCount);
  EXPECT_EQ(name(Cause::Matrix), "matrix kernels");
  EXPECT_EQ(name(Cause::Lowering), "fusion");
}

}  // namespace
}  // namespace siliconprof
