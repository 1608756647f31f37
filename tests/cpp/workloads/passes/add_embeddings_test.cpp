#include "siliconprof/workloads/passes/add_embeddings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "siliconprof/workloads/passes/accumulate.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(AddEmbeddings, MakesNoTableOfATableThatAHeadShares) {
  const Trace trace = differentiate(tiny_gpt2());
  const Trace made = add_embeddings(trace);
  EXPECT_EQ(count_op(made, "embedding_backward_add"), 1);
  EXPECT_EQ(count_op(made, "embedding_backward"), count_op(trace, "embedding_backward") - 1);
  EXPECT_EQ(count_op(made, "add"), count_op(trace, "add") - 1);
}

void expect_same_gradients(const Trace& trace, const Trace& made) {
  const auto expected = TracedValues(trace).gradients();
  const auto found = TracedValues(made).gradients();
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, values] : expected) {
    const auto& others = found.at(name);
    ASSERT_EQ(others.size(), values.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(others[i], values[i], 1e-15 + 1e-14 * std::abs(values[i])) << name << " " << i;
    }
  }
}

TEST(AddEmbeddings, ChangesNoGradientButByRounding) {
  const Trace trace = differentiate(tiny_gpt2());
  expect_same_gradients(trace, add_embeddings(trace));
}

// The gradient of a table of its own, which each micro-batch adds to where it lies.
TEST(AddEmbeddings, AddsUpMicroBatchesInPlace) {
  Builder b("t", Dtype::Float64);
  const TensorId table = b.parameter("table", {4, 3}, {Initial::Kind::Normal, 0.5});
  const TensorId rows = b.call("embedding", {4, 5, 3}, {table, b.indices("tokens", {5}, 4)});
  const TensorId labels = b.indices("labels", {5}, 3);
  const Trace once =
      differentiate(std::move(b).finish(b.call("cross_entropy", {5, 3}, {rows, labels})));
  for (const int micro_batches : {2, 3}) {
    const Trace trace = accumulate(once, micro_batches);
    const Trace made = add_embeddings(trace);
    EXPECT_EQ(count_op(made, "embedding_backward_add"), micro_batches - 1);
    EXPECT_LT(made.cost().bytes(), trace.cost().bytes());
    expect_same_gradients(trace, made);
  }
}

// Someone else wants the gradient itself.
TEST(AddEmbeddings, LeavesAGradientThatIsReadAfterTheTrace) {
  Builder b("t", Dtype::Float64);
  const TensorId other = b.input("other", {12});
  const TensorId table = b.parameter("table", {4, 3}, {});
  const TensorId dy = b.input("dy", {5, 3});
  const TensorId made = b.call("embedding_backward", {4, 5, 3}, {b.indices("i", {5}, 4), dy});
  const TensorId sum = b.call("add", {12}, {other, made});
  Trace trace = std::move(b).finish(b.call("sum", {1, 12, 1}, {sum}));
  trace.set_gradients({{table, made}});
  EXPECT_EQ(op_sequence(add_embeddings(trace)), op_sequence(trace));
}

TEST(AddEmbeddings, LeavesATableOfItsOwnAlone) {
  const Trace trace = differentiate(tiny_mlp());
  EXPECT_EQ(op_sequence(add_embeddings(trace)), op_sequence(trace));
}

}  // namespace
}  // namespace siliconprof
