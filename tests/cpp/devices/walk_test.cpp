#include "siliconprof/devices/walk.h"

#include <gtest/gtest.h>

#include <cmath>

#include "devices/made_device.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

OpCall made_sum(std::int64_t size) {
  const std::array<std::int64_t, 3> dims{100, size, 1};
  return make_call(find_op("sum"), dims, Dtype::Float32, {});
}

/// Of 10 images of 4 channels.
OpCall made_norm(std::int64_t inner, Dtype dtype) {
  const std::array<std::int64_t, 3> dims{10, 4, inner};
  const std::array<double, 1> eps{1e-5};
  const Op& op = find_op("batch_norm");
  return make_call(op, dims, dtype, std::span(eps).first(op.attributes.size()));
}

TEST(Walk, WithoutFactsNothingIsInTheWay) {
  const Walk walk = walk_of(made_sum(8), look_up_rates(made_device(), made_framework()));
  EXPECT_EQ(walk.part, 1.0);
  EXPECT_EQ(walk.least_vector_s, 0.0);
  EXPECT_EQ(walk.again_s, 0.0);
}

TEST(Walk, ShortRowsLeaveAPartOfTheRates) {
  Framework framework = made_framework();
  framework.numbers["access.apple.sum.short_part"] = made_number(0.25);
  const Rates rates = look_up_rates(made_device(), framework);
  EXPECT_EQ(walk_of(made_sum(8), rates).part, 0.25);
  EXPECT_EQ(walk_of(made_sum(1024), rates).part, 1.0);
}

TEST(Walk, FurtherKernelsStartOnTopAndWritesToOneRowAreTheLeast) {
  Framework framework = made_framework();
  framework.numbers["access.apple.scatter.same_row_s"] = made_number(1e-6);
  framework.numbers["access.apple.sum.start_s"] = made_number(2e-6);
  const Rates rates = look_up_rates(made_device(), framework);
  EXPECT_EQ(walk_of(made_sum(8), rates).start_s, 2e-6);
  const std::array<std::int64_t, 3> dims{10, 1000, 16};
  const OpCall scatter = make_call(find_op("scatter"), dims, Dtype::Float32, {});
  EXPECT_DOUBLE_EQ(walk_of(scatter, rates).least_vector_s, 1e-6 * 1000 / 10);
}

OpCall made_column_sum(std::int64_t size) {
  const std::array<std::int64_t, 3> dims{1, size, 8};
  return make_call(find_op("sum"), dims, Dtype::Float32, {});
}

TEST(Walk, AlongRowsStepsAreTheLeastAndAShortAxisIsOneKernels) {
  Framework framework = made_framework();
  framework.numbers["access.apple.sum.step_cycles"] = made_number(20.0);
  framework.numbers["access.apple.sum.shared_step_cycles"] = made_number(2.0);
  framework.numbers["access.apple.sum.start_s"] = made_number(3e-6);
  const Rates rates = look_up_rates(made_device(10.0, 1e9), framework);
  // 64 threads along the axis of eight columns, of which four are loaded at once.
  EXPECT_DOUBLE_EQ(walk_of(made_column_sum(6400), rates).least_vector_s, 20e-9 * 100);
  EXPECT_EQ(walk_of(made_column_sum(6400), rates).start_s, 0.0);
  EXPECT_DOUBLE_EQ(walk_of(made_column_sum(262144), rates).least_vector_s, 2e-9 * 4);
  EXPECT_EQ(walk_of(made_column_sum(262144), rates).start_s, 3e-6);
  EXPECT_EQ(walk_of(made_sum(5000), rates).least_vector_s, 0.0) << "along the last axis";
  Device coreless = made_device(10.0, 1e9);
  coreless.numbers.erase("compute.cores");
  const Rates unknown = look_up_rates(coreless, framework);
  EXPECT_EQ(walk_of(made_column_sum(6400), unknown).least_vector_s, 0.0);
  EXPECT_EQ(walk_of(made_column_sum(6400), unknown).start_s, 3e-6);
}

TEST(Walk, AcrossEachOtherElementsAreTheLeastAndANormCopiesThem) {
  Framework framework = made_framework();
  framework.numbers["access.apple.across.elements_per_cycle"] = made_number(0.5);
  framework.numbers["access.apple.sum.across_elements_per_cycle"] = made_number(2.0);
  framework.numbers["access.apple.sum.step_cycles"] = made_number(1e6);
  framework.numbers["access.apple.sum.start_s"] = made_number(3e-6);
  Rates rates = look_up_rates(made_device(10.0, 1e9), framework);
  rates.kernel_s = 1e-6;
  const auto crossing = [](OpCall call) {
    call.crosses = true;
    return call;
  };
  const std::array<std::int64_t, 1> length{1000};
  const OpCall add = make_call(find_op("add"), length, Dtype::Float32, {});
  EXPECT_EQ(walk_of(add, rates).least_vector_s, 0.0);
  EXPECT_DOUBLE_EQ(walk_of(crossing(add), rates).least_vector_s, 1000 / 5e9);
  const std::array<std::int64_t, 2> rows{50, 20};
  const std::array<double, 1> eps{1e-5};
  const OpCall norm = make_call(find_op("layer_norm"), rows, Dtype::Float32, eps);
  const Walk copied = walk_of(crossing(norm), rates);
  EXPECT_DOUBLE_EQ(copied.again_s, 1e-6 + 1000 / 5e9);
  EXPECT_EQ(copied.least_vector_s, 0.0);
  // Of channels: no steps, at a rate of its own.
  EXPECT_DOUBLE_EQ(walk_of(crossing(made_column_sum(100)), rates).least_vector_s, 800 / 20e9);
  EXPECT_EQ(walk_of(made_column_sum(262144), rates).start_s, 3e-6);
  EXPECT_EQ(walk_of(crossing(made_column_sum(262144)), rates).start_s, 0.0);
  rates.across_elements_per_s = 0.0;
  EXPECT_EQ(walk_of(crossing(add), rates).least_vector_s, 0.0) << "nothing is known";
}

TEST(Walk, OperandsOf16BitsLeaveAPartOfTheTime) {
  Framework framework = made_framework();
  framework.numbers["access.apple.cross_entropy.narrow_part"] = made_number(0.25);
  const Rates rates = look_up_rates(made_device(), framework);
  const std::array<std::int64_t, 2> dims{10, 50};
  OpCall loss = make_call(find_op("cross_entropy"), dims, Dtype::Float32, {});
  EXPECT_EQ(walk_of(loss, rates).part, 1.0);
  loss.narrow = true;
  EXPECT_EQ(walk_of(loss, rates).part, 4.0);
}

TEST(Walk, TheLongestRowOfABatchNormIsACoresOwn) {
  Framework framework = made_framework();
  framework.numbers["row.apple.batch_norm.elements_per_s"] = made_number(1e6);
  const Rates rates = look_up_rates(made_device(), framework);
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::Float32), rates).least_vector_s, 500 / 1e6);
}

TEST(Walk, WhatCoresTakeAndWhatMemoryTakesAddUpAsSquares) {
  Framework framework = made_framework();
  framework.numbers["row.apple.batch_norm.bfloat16.bytes_per_cycle"] = made_number(1e4);
  framework.numbers["row.apple.batch_norm.float16.bytes_per_cycle"] = made_number(1e12);
  Device device = made_device(4.0, 1e6);
  const Rates rates = look_up_rates(device, framework);
  const double usual = rates.of(find_op("batch_norm")).bandwidth.per_s;
  ASSERT_DOUBLE_EQ(usual, 5e10);  // half of the made device's; the cores' is 4e10
  // Of a byte memory takes 4 parts of time and cores 5: together the root of 41.
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::BFloat16), rates).part, 4.0 / std::sqrt(41.0));
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::BFloat16), rates).memory_part,
                   4.0 / std::sqrt(41.0));
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::Float16), rates).part, 1.0);
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::Float16), rates).memory_part, 1.0);
  EXPECT_EQ(walk_of(made_norm(50, Dtype::Float32), rates).part, 1.0);
}

TEST(Walk, ADtypesOwnKernelOfABatchNormHasItsOwnRate) {
  Framework framework = made_framework();
  framework.numbers["row.apple.batch_norm.elements_per_s"] = made_number(1e6);
  framework.numbers["row.apple.batch_norm.bfloat16.elements_per_s"] = made_number(2e6);
  const Rates rates = look_up_rates(made_device(), framework);
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::Float16), rates).least_vector_s, 500 / 1e6);
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::BFloat16), rates).least_vector_s, 500 / 2e6);
}

TEST(Walk, FormatsOfWholeWordsGoByWhatCoresKeepUpWithInFloat32) {
  Framework framework = made_framework();
  framework.numbers["row.apple.batch_norm.float32.bytes_per_cycle"] = made_number(1e4);
  Device device = made_device(4.0, 1e6);
  const Rates rates = look_up_rates(device, framework);
  for (const Dtype dtype : {Dtype::Float32, Dtype::Tf32, Dtype::Float64}) {
    EXPECT_DOUBLE_EQ(walk_of(made_norm(50, dtype), rates).part, 4.0 / std::sqrt(41.0));
  }
  EXPECT_EQ(walk_of(made_norm(50, Dtype::Float16), rates).part, 1.0);
}

}  // namespace
}  // namespace siliconprof
