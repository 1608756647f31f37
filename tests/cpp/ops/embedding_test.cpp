#include "siliconprof/ops/embedding.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

TEST(Embedding, CostsRowsForwardAndTheWholeTableBackward) {
  const OpCall call = make_call(kEmbedding, Dims{100, 6, 8}, Dtype::BFloat16, {});
  EXPECT_EQ(kEmbedding.cost(call), (Cost{.bytes_read = 6 * 16 + 6 * 4, .bytes_written = 6 * 16}));
  const OpCall backward = make_call(kEmbeddingBackward, Dims{100, 6, 8}, Dtype::BFloat16, {});
  EXPECT_EQ(kEmbeddingBackward.cost(backward),
            (Cost{.vector_flops = 48, .bytes_read = 6 * 16 + 6 * 4, .bytes_written = 100 * 16}));
}

TEST(Embedding, AddingItsGradientReadsTheTableToo) {
  const OpCall call = make_call(kEmbeddingBackwardAdd, Dims{100, 6, 8}, Dtype::BFloat16, {});
  EXPECT_EQ(
      kEmbeddingBackwardAdd.cost(call),
      (Cost{.vector_flops = 48, .bytes_read = (6 + 100) * 16 + 6 * 4, .bytes_written = 100 * 16}));
}

TEST(Embedding, ItsGradientIsTheTable) {
  const Trace trace =
      single_op("embedding", {{"v", 7}, {"n", 5}, {"c", 3}}, Dtype::Float32, {}, true);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].op->name, "embedding_backward");
  ASSERT_EQ(trace.results().size(), 1U);
  EXPECT_EQ(trace.tensors()[std::size_t(trace.results()[0])].shape, (Shape{7, 3}));
}

}  // namespace
}  // namespace siliconprof
