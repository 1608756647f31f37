#include "siliconprof/kernels/cpu/attention.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "attention_agreement.h"
#include "siliconprof/kernels/cpu/attention_kernels.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Attention, EveryBuildAgreesWithTheDefinitionInRandomShapes) {
  std::mt19937_64 random(20250711);
  for (const AttentionKernelTable* table : runnable_attention_kernels()) {
    for (int i = 0; i < 24; ++i) {
      for (const Dtype dtype : kCpuDtypes) {
        expect_attention_agrees({*table}, random_case(random, dtype));
      }
    }
  }
}

TEST(Attention, WholeAndRaggedTilesOfEverySizeAgreeWithTheDefinition) {
  for (const AttentionKernelTable* table : runnable_attention_kernels()) {
    for (const std::int64_t n : {1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200}) {
      expect_attention_agrees({*table}, {true, {1, n, 2, 64}, 1, Dtype::Float32, 2, 1e9, 5});
      expect_attention_agrees({*table}, {false, {1, 2, n, 129, 32}, 1, Dtype::Float32, 2, 1e9, 6});
      expect_attention_agrees({*table}, {false, {1, 1, 65, n, 20}, 0, Dtype::Float32, 1, 1e9, 7});
    }
  }
}

TEST(Attention, AnyThreadCountAndAnyPollingGiveTheSameBits) {
  for (const char* op : {"attention", "attention_backward"}) {
    const Example example(op, {2, 3, 200, 170, 24}, Dtype::Float32, {1}, 3);
    const Runner runner =
        example.inputs.size() == 3 ? Runner(run_attention) : Runner(run_attention_backward);
    const AttentionKernelTable& table = *runnable_attention_kernels().front();
    const auto one = run_with(runner, {table}, example.call, example.views(), 1);
    for (const int threads : {1, 2, 3, 5}) {
      int polls = 0;
      const auto more = run_with(runner, {table, 1.0}, example.call, example.views(), threads,
                                 [&polls] { ++polls; });
      EXPECT_GE(polls, 3);
      for (std::size_t i = 0; i < one.size(); ++i) {
        const TensorView& view = one[i].view();
        EXPECT_EQ(std::memcmp(view.data, more[i].view().data, std::size_t(view.bytes())), 0)
            << op << " threads " << threads;
      }
    }
  }
}

TEST(Attention, GreatScoresDoNotOverflow) {
  const Example example("attention", {1, 1, 3, 300, 4}, Dtype::Float32, {0}, 8);
  for (std::int64_t i = 0; i < 12; ++i) set(example.inputs[0], i, 1e4);
  for (std::int64_t j = 0; j < 1200; ++j) set(example.inputs[1], j, j / 4 == 200 ? 1e4 : -1e4);
  const Values y = to_values(run(kEigenEngine, example, 1).view());
  const Values v = to_values(example.inputs[2].view());
  for (std::size_t c = 0; c < 12; ++c) EXPECT_EQ(y[c], v[800 + c % 4]);
}

TEST(Attention, AKeyThatOutdoesAllOthersGetsAllOfTheGradient) {
  for (const AttentionKernelTable* table : runnable_attention_kernels()) {
    for (const Dtype dtype : kCpuDtypes) {
      for (const double great : {50.0, 220.0}) expect_gradient_of_one_key({*table}, dtype, great);
    }
    for (const double great : {3e3, 1e6, 1e9}) {
      expect_gradient_of_one_key({*table}, Dtype::Float64, great);
      expect_gradient_of_one_key({*table}, Dtype::Float32, great);
      expect_gradient_of_one_key({*table}, Dtype::BFloat16, great);
    }
  }
}

void fill(const Tensor& tensor, double value) {
  for (std::int64_t i = 0; i < tensor.view().elements(); ++i) set(tensor, i, value);
}

// Equal terms, whose roundings all go one way: a tile's are added up before the tiles' sums are.
TEST(Attention, LongSumsKeepTheirDigits) {
  constexpr std::int64_t n = 65536;
  const double roundings = double(kAttentionKeys + n / kAttentionQueries + 8);
  const double bound = roundings * unit_roundoff(Dtype::Float32) * 0.1;
  const Example forward("attention", {1, 1, 2, n, 16}, Dtype::Float32, {0}, 8);
  fill(forward.inputs[0], 0);  // all keys have the same share
  fill(forward.inputs[2], 0.1);
  for (const double y : to_values(run(kEigenEngine, forward, 1).view())) {
    ASSERT_NEAR(y, double(0.1F), bound);
  }
  const Example backward("attention_backward", {1, 1, n, 2, 16}, Dtype::Float32, {0}, 8);
  fill(backward.inputs[0], 0);
  fill(backward.inputs[4], std::log(2.0));
  fill(backward.inputs[5], 0.1);
  const std::vector<Tensor> slopes = run_all(kEigenEngine, backward, 1);
  for (const double dv : to_values(slopes[2].view())) {
    ASSERT_NEAR(dv / (n / 2), double(0.1F), 2 * bound);
  }
}

// As PyTorch: a NaN or infinity of a query spoils its own row, one of a key all that see it.
TEST(Attention, NonFiniteValuesReachThoseThatSeeThem) {
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    const Example example("attention", {1, 1, 150, 150, 16}, Dtype::Float32, {1}, 8);
    set(example.inputs[0], 70 * 16, value);
    set(example.inputs[1], 140 * 16 + 3, kNan);
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::size_t i = 0; i < 150; ++i) {
      EXPECT_EQ(std::isnan(y[i * 16]), i == 70 || i >= 140) << i << " with " << value;
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
