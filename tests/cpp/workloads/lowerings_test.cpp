#include "siliconprof/workloads/lowerings.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Lowerings, TheLibrarysOwnChangesNothing) {
  EXPECT_EQ(find_lowering("native"), Lowering{});
  EXPECT_FALSE(find_lowering("mlx").fused_attention);
  EXPECT_TRUE(find_lowering("torch-cuda").fused_optimizer);
  EXPECT_FALSE(find_lowering("torch-cuda").in_place);
}

TEST(Lowerings, AnUnknownFrameworkNamesTheNearest) {
  EXPECT_THROW(find_lowering("torch-cdua"), UnknownNameError);
  EXPECT_EQ(lowering_names().size(), 8U);
  Lowering compiled = find_lowering("torch-cuda@compile");
  EXPECT_TRUE(compiled.joins_kernels);
  EXPECT_EQ(compiled, find_lowering("torch-cuda@reduce-overhead"));
  compiled.joins_kernels = false;
  compiled.keeps_layout = true;  // whose own layout nobody timed
  EXPECT_EQ(compiled, find_lowering("torch-cuda"));
}

}  // namespace
}  // namespace siliconprof
