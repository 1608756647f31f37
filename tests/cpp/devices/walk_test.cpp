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
  EXPECT_DOUBLE_EQ(walk_of(made_norm(50, Dtype::Float16), rates).part, 1.0);
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
