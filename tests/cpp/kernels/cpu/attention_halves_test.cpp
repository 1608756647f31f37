#include "siliconprof/kernels/cpu/attention_halves.h"

#include <gtest/gtest.h>

#include "attention_agreement.h"

namespace siliconprof::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Every pair of loops and products that this CPU can run.
std::vector<AttentionHalves> runnable() {
  std::vector<AttentionHalves> found;
  for (const AttentionHalfLoops* loops : runnable_attention_halves()) {
    for (const HalfMachine& machine : runnable_half_machines()) found.push_back({*loops, machine});
  }
  return found;
}

AttentionRun by(const AttentionHalves& halves) {
  return {.table = *runnable_attention_kernels().front(), .halves = &halves};
}

TEST(AttentionHalves, AgreeWithTheDefinitionInRandomShapes) {
  std::mt19937_64 random(20261128);
  for (const AttentionHalves& halves : runnable()) {
    for (int i = 0; i < 24; ++i) {
      expect_attention_agrees(by(halves), random_case(random, Dtype::BFloat16));
    }
  }
}

TEST(AttentionHalves, AgreeInWholeAndRaggedPanels) {
  const AttentionHalves best = runnable().front();
  for (const std::int64_t n : {1, 16, 17, 31, 32, 33, 64, 65, 96, 128, 129, 200}) {
    const Dtype dtype = Dtype::BFloat16;
    expect_attention_agrees(by(best), {true, {1, n, 2, 64}, 1, dtype, 2, 1e9, 5});
    expect_attention_agrees(by(best), {false, {1, 2, n, 129, 33}, 1, dtype, 2, 1e9, 6});
    expect_attention_agrees(by(best), {false, {1, 2, 129, n, 32}, 1, dtype, 2, 1e9, 8});
    expect_attention_agrees(by(best), {false, {1, 1, 65, n, 20}, 0, dtype, 1, 1e9, 7});
  }
}

TEST(AttentionHalves, AnyThreadCountAndAnyPollingGiveTheSameBits) {
  for (const char* op : {"attention", "attention_backward"}) {
    const Example example(op, {2, 3, 200, 170, 24}, Dtype::BFloat16, {1}, 3);
    const Runner runner =
        example.inputs.size() == 3 ? Runner(run_attention) : Runner(run_attention_backward);
    const AttentionHalves halves = runnable().front();
    const auto one = run_with(runner, by(halves), example.call, example.views(), 1);
    for (const int threads : {1, 2, 3, 5}) {
      AttentionRun how{*runnable_attention_kernels().front(), 1.0, &halves};
      const auto more = run_with(runner, how, example.call, example.views(), threads);
      for (std::size_t i = 0; i < one.size(); ++i) {
        const TensorView& view = one[i].view();
        EXPECT_EQ(std::memcmp(view.data, more[i].view().data, std::size_t(view.bytes())), 0)
            << op << " threads " << threads;
      }
    }
  }
}

TEST(AttentionHalves, GreatScoresDoNotOverflow) {
  const Example example("attention", {1, 1, 3, 300, 64}, Dtype::BFloat16, {0}, 8);
  const Values v = to_values(example.inputs[2].view());
  for (const double great : {1e4, 3e4, 1e9}) {
    for (std::int64_t i = 0; i < 3 * 64; ++i) set(example.inputs[0], i, great);
    for (std::int64_t j = 0; j < 300 * 64; ++j) {
      set(example.inputs[1], j, j / 64 == 200 ? great : -great);
    }
    for (const AttentionHalves& halves : runnable()) {
      const auto found = run_with(run_attention, by(halves), example.call, example.views(), 1);
      const Values y = to_values(found[0].view());
      for (std::size_t c = 0; c < 3 * 64; ++c) EXPECT_EQ(y[c], v[200 * 64 + c % 64]) << great;
    }
  }
}

TEST(AttentionHalves, AKeyThatOutdoesAllOthersGetsAllOfTheGradient) {
  for (const AttentionHalves& halves : runnable()) {
    for (const double great : {50.0, 3e3, 1e6, 1e9}) {
      expect_gradient_of_one_key(by(halves), Dtype::BFloat16, great);
    }
  }
}

TEST(AttentionHalves, NonFiniteValuesReachThoseThatSeeThem) {
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    const Example example("attention", {1, 1, 150, 150, 16}, Dtype::BFloat16, {1}, 8);
    set(example.inputs[0], 70 * 16, value);
    set(example.inputs[1], 140 * 16 + 3, kNan);
    for (const AttentionHalves& halves : runnable()) {
      const auto found = run_with(run_attention, by(halves), example.call, example.views(), 2);
      const Values y = to_values(found[0].view());
      for (std::size_t i = 0; i < 150; ++i) {
        EXPECT_EQ(std::isnan(y[i * 16]), i == 70 || i >= 140) << i << " with " << value;
      }
    }
  }
}

// Ten queries of a panel of 32: zeros beside them would make NaN of a key that is infinite.
TEST(AttentionHalves, NothingComesOfTheRestOfAPanel) {
  const Example example("attention_backward", {1, 1, 10, 40, 16}, Dtype::BFloat16, {0}, 8);
  for (std::int64_t i = 0; i < 160; ++i) set(example.inputs[0], i, 0.5);
  for (std::int64_t c = 0; c < 16; ++c) set(example.inputs[1], 7 * 16 + c, -kInfinity);
  for (std::int64_t i = 0; i < 10; ++i) set(example.inputs[4], i, 3);
  for (const AttentionHalves& halves : runnable()) {
    const auto found =
        run_with(run_attention_backward, by(halves), example.call, example.views(), 1);
    const Values dk = to_values(found[1].view());
    const Values dv = to_values(found[2].view());
    for (std::size_t i = 0; i < 40 * 16; ++i) {
      ASSERT_TRUE(std::isfinite(dk[i]) && std::isfinite(dv[i])) << i;
      if (i / 16 == 7) {
        ASSERT_TRUE(dk[i] == 0 && dv[i] == 0) << i;
      }
    }
  }
}

AttentionLayout layout(std::int64_t queries, std::int64_t keys, std::int64_t head_dim,
                       bool causal) {
  return {.batch = 2,
          .heads = 3,
          .queries = queries,
          .keys = keys,
          .head_dim = head_dim,
          .causal = causal,
          .row = 3 * head_dim,
          .k_first = 0,
          .v_first = 0};
}

// As measured: whole panels of 32 queries, 32 keys and 32 terms less than half empty.
TEST(AttentionHalves, SuitPanelsThatAreMoreThanHalfFull) {
  EXPECT_TRUE(halves_suit_attention(layout(64, 64, 64, true)));
  EXPECT_TRUE(halves_suit_attention(layout(32, 32, 64, true)));  // 528 pairs of 1024
  EXPECT_TRUE(halves_suit_attention(layout(64, 1500, 64, false)));
  EXPECT_TRUE(halves_suit_attention(layout(228, 128, 64, true)));  // of which 100 see none
  EXPECT_FALSE(halves_suit_attention(layout(31, 31, 64, true)));   // 496
  EXPECT_FALSE(halves_suit_attention(layout(48, 48, 64, true)));
  EXPECT_FALSE(halves_suit_attention(layout(256, 256, 16, false)));
  EXPECT_FALSE(halves_suit_attention(layout(16, 256, 64, false)));
  EXPECT_FALSE(halves_suit_attention(layout(0, 64, 64, false)));
  EXPECT_FALSE(halves_suit_attention(layout(64, 0, 64, false)));
}

TEST(AttentionHalves, TheLastLoopsRunOnEveryCpu) {
  ASSERT_FALSE(runnable_attention_halves().empty());
  EXPECT_EQ(runnable_attention_halves().back()->instruction_set, "generic");
}

}  // namespace
}  // namespace siliconprof::cpu
