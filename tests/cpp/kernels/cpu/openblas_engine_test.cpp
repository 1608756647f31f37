#include "siliconprof/kernels/cpu/openblas_engine.h"

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/half_choice.h"

namespace siliconprof::cpu {
namespace {

class OpenBlasEngine : public testing::Test {
 protected:
  void SetUp() override {
    const EngineInfo info = kOpenBlasEngine.info();
    if (!info.available) GTEST_SKIP() << info.reason;
  }
};

TEST_F(OpenBlasEngine, ProductsAgreeWithTheDefinitionWithinRounding) {
  expect_products_agree(kOpenBlasEngine, 20);
}

TEST_F(OpenBlasEngine, VectorOpsAgreeWithTheDefinitionWithinRounding) {
  expect_vector_ops_agree(kOpenBlasEngine);
}

TEST_F(OpenBlasEngine, OpsAlongAnAxisAgreeWithTheDefinitionWithinRounding) {
  expect_axis_ops_agree(kOpenBlasEngine, 40);
}

TEST_F(OpenBlasEngine, NanAndInfinityReachWhatTheyMustAndNothingElse) {
  expect_nan_and_infinity_stay_in_place(kOpenBlasEngine);
}

TEST_F(OpenBlasEngine, APollThatThrowsStopsAProduct) {
  expect_a_poll_can_stop_a_product(kOpenBlasEngine);
}

TEST_F(OpenBlasEngine, SaysWhichLibraryAndKernelsItUses) {
  const EngineInfo info = kOpenBlasEngine.info();
  EXPECT_FALSE(info.version.empty());
  EXPECT_FALSE(info.kernel_family.empty());
  EXPECT_FALSE(info.library.empty());
  EXPECT_EQ(kOpenBlasEngine.product_path(Dtype::Float32), "native");
  EXPECT_EQ(kOpenBlasEngine.product_path(Dtype::Float16), half_product_path(Dtype::Float16));
}

}  // namespace
}  // namespace siliconprof::cpu
