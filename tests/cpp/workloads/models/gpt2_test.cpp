#include "siliconprof/workloads/models/gpt2.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/catalogue.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

Trace tiny() {
  return forward_trace(find_model("gpt2-small"),
                       {{"batch", 2},
                        {"seq", 3},
                        {"context", 5},
                        {"vocab", 7},
                        {"layers", 2},
                        {"width", 6},
                        {"heads", 2}},
                       Dtype::Float64);
}

TEST(Gpt2, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(forward_trace(find_model("gpt2-small"), {}).parameters(), 124439808);
  EXPECT_EQ(forward_trace(find_model("gpt2-medium"), {}).parameters(), 354823168);
  EXPECT_EQ(forward_trace(find_model("gpt2-large"), {}).parameters(), 774030080);
  EXPECT_EQ(forward_trace(find_model("gpt2-xl"), {}).parameters(), 1557611200);
}

// 2 flops for each weight of a product and token, and for each pair of tokens that attend and
// channel, once for scores and once for values.
TEST(Gpt2, ItsForwardProductsFollowTheClosedForm) {
  const std::int64_t batch = 2;
  const std::int64_t seq = 64;
  const Trace trace =
      forward_trace(find_model("gpt2-small"), {{"batch", batch}, {"seq", seq}}, Dtype::Float32);
  const std::int64_t layers = 12;
  const std::int64_t width = 768;
  const std::int64_t rows = batch * seq;
  const std::int64_t weights = layers * 12 * width * width + 50257 * width;
  const std::int64_t pairs = batch * layers * seq * (seq + 1) / 2;
  EXPECT_EQ(trace.cost().matrix_flops, 2 * rows * weights + 2 * 2 * pairs * width);
}

TEST(Gpt2, ItsGradientsAgreeWithCentralDifferences) { expect_gradients_agree(tiny(), 1e-8); }

TEST(Gpt2, AnUntrainedModelGuessesUniformly) {
  EXPECT_NEAR(TracedValues(tiny()).loss(), std::log(7.0), 0.02);
}

TEST(Gpt2, RefusesSizesThatCannotBeAndSaysWhatFits) {
  const auto message = [](const Sizes& sizes) -> std::string {
    try {
      forward_trace(find_model("gpt2-small"), sizes);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({{"batch", 0}}), "[gpt2-small] batch is 0; needed: at least 1");
  EXPECT_EQ(message({{"seq", 1025}}),
            "[gpt2-small] seq is 1025; needed: at most 1024 (the context of the model)");
  EXPECT_EQ(message({{"heads", 7}}),
            "[gpt2-small] heads is 7; needed: a divisor of width 768, as 6");
  EXPECT_EQ(message({{"sequence", 7}}).substr(0, 42), "[gpt2-small] unknown size 'sequence'; did ");
}

}  // namespace
}  // namespace siliconprof
