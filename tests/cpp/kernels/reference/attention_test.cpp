#include "siliconprof/kernels/reference/attention.h"

#include <array>

#include "cost_proof.h"
#include "siliconprof/ops/attention.h"

namespace siliconprof::reference {
namespace {

using Dims = std::array<std::int64_t, 5>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const auto kNoStep = [](std::int64_t) {};

TEST(ReferenceAttention, CostIsWhatTheDefinitionTakes) {
  for (const auto& [batch, heads, queries, keys, head_dim] : {Dims{1, 1, 1, 1, 1},
                                                              {2, 3, 4, 5, 2},
                                                              {1, 2, 5, 3, 4},
                                                              {2, 1, 0, 3, 2},
                                                              {1, 2, 3, 0, 2},
                                                              {0, 1, 2, 3, 4}}) {
    for (const double causal : {0.0, 1.0}) {
      prove_op("attention",
               {{"batch", batch},
                {"heads", heads},
                {"queries", queries},
                {"keys", keys},
                {"head_dim", head_dim}},
               {{"causal", causal}});
      prove_op("attention_qkv",
               {{"batch", batch}, {"tokens", queries}, {"heads", heads}, {"head_dim", head_dim}},
               {{"causal", causal}});
    }
  }
}

TEST(ReferenceAttention, SharesOfThreeKeysByHand) {
  const OpCall call = make_call(kAttention, Dims{1, 1, 1, 3, 4}, Dtype::Float64, {});
  // Scores 1000, 1000 + log 2 and 1000 + log 5: shares of 1/8, 2/8 and 5/8.
  const std::array<double, 4> q{2, 0, 0, 0};
  const std::array<double, 12> k{1000, 0, 0, 0, 1000 + std::log(2.0), 0, 0, 0, 1000 + std::log(5.0),
                                 0,    0, 0};
  const std::array<double, 12> v{8, 0, 0, 1, 0, 8, 0, 1, 0, 0, 8, 1};
  std::array<double, 4> y{};
  std::array<double, 1> lse{};
  attention<double>(attention_layout(call), q.data(), k.data(), v.data(), y.data(), lse.data(),
                    kNoStep);
  EXPECT_NEAR(y[0], 1, 1e-12);
  EXPECT_NEAR(y[1], 2, 1e-12);
  EXPECT_NEAR(y[2], 5, 1e-12);
  EXPECT_NEAR(y[3], 1, 1e-15);
  EXPECT_NEAR(lse[0], 1000 + std::log(8.0), 1e-12);
}

TEST(ReferenceAttention, SlopesOfTwoKeysByHand) {
  const OpCall call = make_call(kAttentionBackward, Dims{1, 1, 1, 2, 1}, Dtype::Float64, {});
  // Equal scores: p = ½ each; dp = 3·(6, 2); Σ p·dp = 12; ds = ½·(6, -6).
  const std::array<double, 1> q{2};
  const std::array<double, 2> k{5, 5};
  const std::array<double, 2> v{6, 2};
  const std::array<double, 1> y{4};
  const std::array<double, 1> lse{10 + std::log(2.0)};
  const std::array<double, 1> dy{3};
  std::array<double, 1> dq{};
  std::array<double, 2> dk{};
  std::array<double, 2> dv{};
  attention_backward<double>(attention_layout(call), q.data(), k.data(), v.data(), y.data(),
                             lse.data(), dy.data(), dq.data(), dk.data(), dv.data(), kNoStep);
  EXPECT_NEAR(dq[0], 0, 1e-12);
  EXPECT_NEAR(dk[0], 6, 1e-12);
  EXPECT_NEAR(dk[1], -6, 1e-12);
  EXPECT_NEAR(dv[0], 1.5, 1e-12);
  EXPECT_NEAR(dv[1], 1.5, 1e-12);
}

TEST(ReferenceAttention, AQueryBeforeAllKeysGetsZeroAndNoLogarithm) {
  const OpCall call = make_call(kAttention, Dims{1, 1, 3, 1, 2}, Dtype::Float64, std::array{1.0});
  const std::array<double, 6> q{1, 2, 3, 4, 0, 0};
  const std::array<double, 2> k{1, 1};
  const std::array<double, 2> v{7, -7};
  std::array<double, 6> y{9, 9, 9, 9, 9, 9};
  std::array<double, 3> lse{};
  attention<double>(attention_layout(call), q.data(), k.data(), v.data(), y.data(), lse.data(),
                    kNoStep);
  EXPECT_EQ(y, (std::array<double, 6>{0, 0, 0, 0, 7, -7}));
  EXPECT_EQ(lse, (std::array<double, 3>{-kInfinity, -kInfinity, 0}));
}

TEST(ReferenceAttention, OneTensorOfThreeIsReadWhereTheThreeLie) {
  // Token 1 sees token 0, whose key is its own: the mean of v, head by head.
  const OpCall call =
      make_call(kAttentionQkv, std::array<std::int64_t, 4>{1, 2, 2, 1}, Dtype::Float64, {});
  const std::array<double, 12> qkv{1, 1, 3, 4, 10, 20, 1, 1, 3, 4, 30, 60};
  std::array<double, 4> y{};
  std::array<double, 4> lse{};
  attention<double>(attention_qkv_layout(call), qkv.data(), qkv.data(), qkv.data(), y.data(),
                    lse.data(), kNoStep);
  EXPECT_EQ(y, (std::array<double, 4>{10, 20, 20, 40}));
  EXPECT_EQ(lse[0], 3);
  EXPECT_EQ(lse[2], 4);
  EXPECT_NEAR(lse[1], 3 + std::log(2.0), 1e-12);
}

}  // namespace
}  // namespace siliconprof::reference
