#include "siliconprof/kernels/cpu/reference_engine.h"

#include "engine_agreement.h"
#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

TEST(ReferenceEngine, ProductsAgreeWithTheDefinitionInDoublePrecision) {
  expect_products_agree(kReferenceEngine, 4);
}

TEST(ReferenceEngine, VectorOpsAgreeWithTheDefinitionInDoublePrecision) {
  expect_vector_ops_agree(kReferenceEngine);
}

TEST(ReferenceEngine, OpsAlongAnAxisAgreeWithTheDefinitionWithinRounding) {
  expect_axis_ops_agree(kReferenceEngine, 5);
}

TEST(ReferenceEngine, NanAndInfinityReachWhatTheyMustAndNothingElse) {
  expect_nan_and_infinity_stay_in_place(kReferenceEngine);
}

TEST(ReferenceEngine, ItPollsAfterSomeMillionSteps) {
  const Example example("matmul", {1, 130, 130, 130}, Dtype::Float32, {0, 0}, 5);
  int polls = 0;
  run(kReferenceEngine, example, 1, [&polls] { ++polls; });
  EXPECT_EQ(polls, 1);  // 130³ is 2.2 million
}

TEST(ReferenceEngine, HasAKernelForEveryOpAndNoTf32) {
  for (const Op* op : all_ops()) {
    EXPECT_TRUE(supports(kReferenceEngine, *op, Dtype::BFloat16)) << op->name;
    EXPECT_FALSE(supports(kReferenceEngine, *op, Dtype::Tf32)) << op->name;
  }
}

}  // namespace
}  // namespace siliconprof::cpu
