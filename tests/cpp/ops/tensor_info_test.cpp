#include "siliconprof/ops/tensor_info.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Role, NamesAndParsingAreInverse) {
  for (int i = 0; i < kRoleCount; ++i) {
    EXPECT_EQ(parse_role(name(static_cast<Role>(i))), static_cast<Role>(i));
  }
  EXPECT_THROW(parse_role("weights"), UnknownNameError);
}

TEST(TensorInfo, BytesAreElementsTimesSize) {
  EXPECT_EQ((TensorInfo{"a", {3, 5}, Dtype::Float16, Role::Input}).bytes(), 30);
}

}  // namespace
}  // namespace siliconprof
