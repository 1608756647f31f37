#include "siliconprof/devices/own_kernel.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

constexpr auto kSingle = static_cast<std::size_t>(Dtype::Float32);
constexpr auto kHalf = static_cast<std::size_t>(Dtype::Float16);

OpCall product_call(Dtype dtype) {
  const std::array<std::int64_t, 4> dims{1, 64, 64, 64};
  const std::array<double, 2> attributes{0.0, 0.0};
  return make_call(find_op("matmul"), dims, dtype, attributes);
}

/// One core, no losses: 1 TFLOP/s, 20 % off.
Rates rates_of_single() {
  Rates rates;
  rates.products[kSingle] = ProductRate{
      {.peak_flops_per_s = 1e12, .bytes_per_s = 1e15, .cores = 1, .element_bytes = 4.0}, 0.2};
  return rates;
}

std::optional<KernelTime> found(const OpCall& call, const Rates& rates) {
  return own_kernel(call, call.op->cost(call), rates);
}

TEST(OwnKernel, IsAProductsWhereItsDtypeHasConstants) {
  const auto time = found(product_call(Dtype::Float32), rates_of_single());
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->seconds, 2.0 * 64 * 64 * 64 / 1e12, 1e-15);
  EXPECT_LT(time->interval_s.lo, time->seconds);
  EXPECT_GT(time->interval_s.hi, time->seconds);
  EXPECT_FALSE(found(product_call(Dtype::Float16), rates_of_single()));
}

// Three matrices of 16,384 bytes, of which the cache holds one.
TEST(OwnKernel, WaitsForTheMemoryForWhatTheCacheCannotHold) {
  Rates rates = rates_of_single();
  const KernelTime free = *found(product_call(Dtype::Float32), rates);
  rates.memory_bytes_per_s = 1e9;
  EXPECT_EQ(found(product_call(Dtype::Float32), rates)->seconds, free.seconds)
      << "nothing is known of the cache";
  rates.cache_bytes = 16384.0;
  const KernelTime bound = *found(product_call(Dtype::Float32), rates);
  EXPECT_NEAR(bound.seconds, 2 * 16384 / 1e9, 1e-15);
  EXPECT_GT(at(bound.terms, Term::Bandwidth), 10 * at(bound.terms, Term::Matrix));
  EXPECT_LE(bound.interval_s.lo, bound.seconds);
  EXPECT_GE(bound.interval_s.hi, bound.seconds);
  rates.memory_bytes_per_s = 1e15;
  EXPECT_EQ(found(product_call(Dtype::Float32), rates)->seconds, free.seconds);
}

// 2 x 32 tokens of 4 heads of 16: 3 x 4096 numbers of 4 bytes, read and written.
TEST(OwnKernel, GradientsOfAPackedAttentionAreJoinedByAKernelMore) {
  const std::array<std::int64_t, 4> dims{2, 32, 4, 16};
  const std::array<double, 1> causal{1.0};
  Rates rates;
  for (auto& direction : rates.attention[kSingle]) {
    direction = AttentionRate{{.core_flops_per_s = 1e12, .cores = 1, .tile = 64}, 0.1};
  }
  rates.by_class[std::size_t(OpClass::Elementwise)].bandwidth = {1e9, 0.0};
  rates.kernel_s = 2e-6;
  const auto seconds = [&](const char* op) {
    return found(make_call(find_op(op), dims, Dtype::Float32, causal), rates)->seconds;
  };
  const std::array<std::int64_t, 5> apart{2, 4, 32, 32, 16};
  const OpCall one = make_call(find_op("attention_backward"), apart, Dtype::Float32, causal);
  const double joined_s = 2e-6 + 2.0 * 3 * 4096 * 4 / 1e9;
  EXPECT_NEAR(seconds("attention_qkv_backward") - found(one, rates)->seconds, joined_s, 1e-12);
  const OpCall forward = make_call(find_op("attention"), apart, Dtype::Float32, causal);
  EXPECT_DOUBLE_EQ(seconds("attention_qkv"), found(forward, rates)->seconds);
}

// Of 4 x 64 x 64 queries, 20 bytes each; the cache holds 100,000 of the 327,680.
TEST(OwnKernel, WhatMovesBesideAnAttentionsGradientIsTheMemorys) {
  const std::array<std::int64_t, 5> dims{1, 4, 64, 64, 64};
  const std::array<double, 1> attributes{0.0};
  const OpCall call = make_call(find_op("attention_backward"), dims, Dtype::Float32, attributes);
  Rates rates = rates_of_single();
  rates.cache_bytes = 100000.0;
  rates.memory_bytes_per_s = 1e9;
  rates.attention[kSingle][1] = AttentionRate{{.core_flops_per_s = 1e9}, 0.2};
  const KernelTime alone = *found(call, rates);
  rates.attention[kSingle][1]->unit.beside_bytes = 20.0;
  const KernelTime both = *found(call, rates);
  EXPECT_NEAR(both.seconds - alone.seconds, 227.68e-6, 1e-12);
  EXPECT_NEAR(at(both.terms, Term::Bandwidth) - at(alone.terms, Term::Bandwidth), 227.68e-6, 1e-12);
  rates.cache_bytes = 400000.0;
  EXPECT_EQ(found(call, rates)->seconds, alone.seconds);
}

TEST(OwnKernel, IsNoneOfAnOpThatHasNoConstants) {
  const OpCall call = make_call(find_op("relu"), std::array<std::int64_t, 1>{100}, Dtype::Float32,
                                std::array<double, 0>{});
  EXPECT_FALSE(found(call, rates_of_single()));
}

TEST(OwnKernel, Tf32TakesWhatWasMeasuredWhereFloat32sKernelIsKnown) {
  EXPECT_TRUE(is_as_measured(product_call(Dtype::Tf32), rates_of_single()));
  Rates half;
  half.products[kHalf] = rates_of_single().products[kSingle];
  EXPECT_FALSE(is_as_measured(product_call(Dtype::Tf32), half));
}

}  // namespace
}  // namespace siliconprof
