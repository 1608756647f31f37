#include "siliconprof/kernels/cpu/eigen_engine.h"

#include "engine_agreement.h"

namespace siliconprof::cpu {
namespace {

TEST(EigenEngine, ProductsAgreeWithTheDefinitionWithinRounding) {
  expect_products_agree(kEigenEngine, 20);
}

TEST(EigenEngine, VectorOpsAgreeWithTheDefinitionWithinRounding) {
  expect_vector_ops_agree(kEigenEngine);
}

TEST(EigenEngine, OpsAlongAnAxisAgreeWithTheDefinitionWithinRounding) {
  expect_axis_ops_agree(kEigenEngine, 40);
}

TEST(EigenEngine, NanAndInfinityReachWhatTheyMustAndNothingElse) {
  expect_nan_and_infinity_stay_in_place(kEigenEngine);
}

TEST(EigenEngine, APollThatThrowsStopsAProduct) { expect_a_poll_can_stop_a_product(kEigenEngine); }

TEST(EigenEngine, SaysItsVersionAndInstructionSet) {
  const EngineInfo info = kEigenEngine.info();
  EXPECT_TRUE(info.available);
  EXPECT_EQ(info.version.find("3."), 0U);
  EXPECT_FALSE(info.kernel_family.empty());
}

}  // namespace
}  // namespace siliconprof::cpu
