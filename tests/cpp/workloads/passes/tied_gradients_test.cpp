#include "siliconprof/workloads/passes/tied_gradients.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/adamw.h"
#include "siliconprof/workloads/passes/in_place.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

// Few tokens, many words; some tokens come twice.
Trace tied_step() {
  Sizes sizes = tiny_gpt2_sizes();
  sizes["vocab"] = 400;
  sizes["width"] = 32;
  return adamw(differentiate(forward_trace(find_model("gpt2-small"), sizes, Dtype::Float64)));
}

TEST(TiedGradients, GiveTheSameParametersInLessMemory) {
  const Trace trace = tied_step();
  const Trace made = tied_gradients(trace);
  EXPECT_LT(in_place(made).memory().peak_bytes(), in_place(trace).memory().peak_bytes());
  const NamedValues tokens{{"tokens", {5, 399, 5, 0, 5, 0}}, {"targets", {399, 5, 0, 5, 0, 7}}};
  const TracedValues before(trace, tokens);
  const TracedValues after(in_place(made), tokens);
  EXPECT_EQ(before.loss(), after.loss());
  EXPECT_EQ(before.parameters(), after.parameters());
  EXPECT_EQ(before.of("wte.weight.m"), after.of("wte.weight.m"));
}

TEST(TiedGradients, MakeTheHeadsTermWhenTheEmbeddingsIsGone) {
  const std::vector<std::string> ops = op_sequence(tied_gradients(tied_step()));
  const auto embedding = std::find(ops.begin(), ops.end(), "embedding_backward");
  ASSERT_GE(ops.end() - embedding, 6);
  const std::vector<std::string> found(embedding, embedding + 6);
  const std::vector<std::string> expected{
      "embedding_backward", "gather", "matmul", "gather", "add", "scatter"};
  EXPECT_EQ(found, expected);
}

TEST(TiedGradients, StayAsTheyAreWhereTokensAreMany) {
  const Trace trace = differentiate(tiny_gpt2());
  EXPECT_EQ(tied_gradients(trace), trace);
}

}  // namespace
}  // namespace siliconprof
