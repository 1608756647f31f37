#include "siliconprof/workloads/models/transformer_lm.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/catalogue.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

// The program prints 153.883 M: parameters but the embedding's, over 1024².
TEST(TransformerLm, HasTheNumberOfParametersThatTheProgramPrints) {
  const std::int64_t counted = forward_trace(find_model("transformer-lm"), {}).parameters();
  EXPECT_EQ(counted, find_model("transformer-lm").parameters);
  EXPECT_NEAR(double(counted - 10000 * 1024) / (1024.0 * 1024.0), 153.883, 0.0005);
}

TEST(TransformerLm, TheSizeOfGpt2LargeCountsItsOwnHead) {
  const CatalogueEntry& model = find_model("transformer-lm-gpt2-large");
  const std::int64_t block = 4 * 1280 * 1280 + 8 * 1280 * 1280 + 5 * 1280 + 4 * 1280;
  EXPECT_EQ(model.parameters, 36 * block + 2 * 1280 + 2 * 10000 * 1280 + 10000);
  EXPECT_EQ(forward_trace(model, {}).parameters(), model.parameters);
}

TEST(TransformerLm, ItsPositionsAreNeitherParametersNorGiven) {
  const Trace trace = forward_trace(find_model("transformer-lm"), {});
  const auto found = std::find_if(trace.tensors().begin(), trace.tensors().end(),
                                  [](const TensorInfo& t) { return t.name == "positions"; });
  ASSERT_NE(found, trace.tensors().end());
  EXPECT_EQ(found->role, Role::Input);
  EXPECT_FALSE(cpu::is_given(*found));
}

TEST(TransformerLm, ItsGradientsAgreeWithCentralDifferences) {
  const Sizes tiny{{"batch", 2},  {"seq", 3},   {"context", 4}, {"vocab", 5},
                   {"layers", 1}, {"width", 4}, {"heads", 2}};
  expect_gradients_agree(forward_trace(find_model("transformer-lm"), tiny, Dtype::Float64), 1e-8,
                         2);
}

}  // namespace
}  // namespace siliconprof
