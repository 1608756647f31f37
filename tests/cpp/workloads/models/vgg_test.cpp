#include "siliconprof/workloads/models/vgg.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/catalogue.h"
#include "siliconprof/workloads/passes/differentiate.h"

namespace siliconprof {
namespace {

TEST(Vgg16, HasThePublishedNumbersOfParameters) {
  EXPECT_EQ(forward_trace(find_model("vgg16"), {}).parameters(), 138357544);
  EXPECT_EQ(forward_trace(find_model("vgg16-bn"), {}).parameters(), 138365992);
}

TEST(Vgg16, ItsProductsAreThePublishedOnes) {
  const Trace trace = forward_trace(find_model("vgg16"), {{"batch", 1}});
  EXPECT_NEAR(double(trace.cost().matrix_flops) / 2, 15.47e9, 0.01e9);
}

TEST(Vgg16, EveryParameterGetsAGradient) {
  for (const char* id : {"vgg16", "vgg16-bn"}) {
    const Trace trace = differentiate(forward_trace(find_model(id), {}));
    EXPECT_EQ(trace.gradients().size(), id[5] == '\0' ? 32U : 58U) << id;
  }
}

TEST(Vgg16, TakesLargerImagesInStepsOf224) {
  EXPECT_EQ(forward_trace(find_model("vgg16"), {{"image", 448}}).parameters(), 138357544);
  EXPECT_THROW(forward_trace(find_model("vgg16"), {{"image", 256}}), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
