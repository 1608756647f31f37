#include "siliconprof/workloads/models/llama.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/catalogue.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Sizes tiny() {
  return {{"batch", 2}, {"seq", 3},   {"context", 4},  {"vocab", 5}, {"layers", 2},
          {"width", 8}, {"heads", 4}, {"kv_heads", 2}, {"hidden", 6}};
}

TEST(Llama, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(forward_trace(find_model("llama-7b"), {}).parameters(), 6738415616);
  EXPECT_EQ(forward_trace(find_model("llama-1b"), {}).parameters(), 1100048384);
}

TEST(Llama, AnotherModelIsAQuestionOfItsConfig) {
  const Sizes sizes{{"vocab", 128256}, {"layers", 16},   {"width", 2048}, {"heads", 32},
                    {"kv_heads", 8},   {"hidden", 8192}, {"tied", 1}};
  EXPECT_EQ(forward_trace(find_model("llama-1b"), sizes).parameters(), 1235814400);  // 3.2 1B
}

TEST(Llama, ItsGradientsAgreeWithCentralDifferences) {
  expect_gradients_agree(forward_trace(find_model("llama-1b"), tiny(), Dtype::Float64), 1e-7, 2);
}

TEST(Llama, RefusesKeysThatDontShareTheQueriesEvenly) {
  EXPECT_THROW(forward_trace(find_model("llama-1b"), {{"kv_heads", 5}}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
