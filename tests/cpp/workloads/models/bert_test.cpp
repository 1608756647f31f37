#include "siliconprof/workloads/models/bert.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/catalogue.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(Bert, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(forward_trace(find_model("bert-base"), {}).parameters(), 109514298);
  EXPECT_EQ(forward_trace(find_model("bert-large"), {}).parameters(), 335174458);
}

TEST(Bert, ItsGradientsAgreeWithCentralDifferences) {
  const Sizes tiny{{"batch", 2},  {"seq", 3},   {"context", 4}, {"vocab", 5},
                   {"layers", 1}, {"width", 4}, {"heads", 2},   {"hidden", 6}};
  expect_gradients_agree(forward_trace(find_model("bert-base"), tiny, Dtype::Float64), 1e-6, 2);
}

}  // namespace
}  // namespace siliconprof
