#include "siliconprof/workloads/passes/add_embeddings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "siliconprof/workloads/passes/in_place.h"
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

TEST(AddEmbeddings, ChangesNoGradientButByRounding) {
  const Trace trace = differentiate(tiny_gpt2());
  const auto expected = TracedValues(trace).gradients();
  const auto found = TracedValues(add_embeddings(trace)).gradients();
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, values] : expected) {
    const auto& others = found.at(name);
    ASSERT_EQ(others.size(), values.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(others[i], values[i], 1e-15 + 1e-14 * std::abs(values[i])) << name << " " << i;
    }
  }
}

TEST(AddEmbeddings, LeavesATableOfItsOwnAlone) {
  const Trace trace = differentiate(tiny_mlp());
  EXPECT_EQ(op_sequence(add_embeddings(trace)), op_sequence(trace));
}

}  // namespace
}  // namespace siliconprof
