#include "siliconprof/ops/attention_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/attention.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;
using Attributes = std::vector<double>;

AttentionLayout layout(std::int64_t queries, std::int64_t keys, double causal) {
  return attention_layout(
      make_call(kAttention, Dims{1, 2, queries, keys, 4}, Dtype::Float32, Attributes{causal}));
}

TEST(AttentionLayout, AQuerySeesTheKeysUpToItsOwnPlace) {
  const AttentionLayout more_keys = layout(3, 5, 1.0);  // 3, 4 and 5 of them
  EXPECT_EQ(more_keys.seen(0), 3);
  EXPECT_EQ(more_keys.seen(2), 5);
  EXPECT_EQ(more_keys.first_seeing(), 0);
  EXPECT_EQ(more_keys.pairs(), 12);
  const AttentionLayout fewer_keys = layout(5, 3, 1.0);  // 0, 0, 1, 2 and 3
  EXPECT_EQ(fewer_keys.seen(1), 0);
  EXPECT_EQ(fewer_keys.seen(4), 3);
  EXPECT_EQ(fewer_keys.first_seeing(), 2);
  EXPECT_EQ(fewer_keys.pairs(), 6);
}

TEST(AttentionLayout, WithoutTheMaskAQuerySeesAllKeys) {
  EXPECT_EQ(layout(5, 3, 0.0).seen(0), 3);
  EXPECT_EQ(layout(5, 3, 0.0).pairs(), 15);
  EXPECT_EQ(layout(5, 0, 0.0).first_seeing(), 5);
  EXPECT_EQ(layout(5, 0, 1.0).pairs(), 0);
  EXPECT_EQ(layout(0, 3, 1.0).pairs(), 0);
}

TEST(AttentionLayout, QkvHoldsThreeHeadsOfEachTokenSideBySide) {
  const AttentionLayout a = attention_qkv_layout(
      make_call(kAttentionQkv, Dims{1, 7, 2, 4}, Dtype::Float32, Attributes{}));
  EXPECT_TRUE(a.causal);
  EXPECT_EQ(a.queries, 7);
  EXPECT_EQ(a.keys, 7);
  EXPECT_EQ(a.row, 24);
  EXPECT_EQ(a.k_first, 8);
  EXPECT_EQ(a.v_first, 16);
  EXPECT_EQ(a.head(1), 4);
  EXPECT_EQ(a.y_row(), 8);
}

}  // namespace
}  // namespace siliconprof
