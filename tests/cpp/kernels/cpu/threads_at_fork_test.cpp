#include "siliconprof/kernels/cpu/fork_guard.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

constexpr int kParent = 100;
constexpr int kChild = 101;

TEST(ForkGuard, AChildOfAThreadedProcessGetsOneThreadOnly) {
  ForkGuard guard;
  guard.check(2, kParent);
  EXPECT_NO_THROW(guard.check(4, kParent));
  EXPECT_NO_THROW(guard.check(1, kChild));
  EXPECT_THROW(guard.check(2, kChild), EngineUnavailable);
}

TEST(ForkGuard, AChildOfASingleThreadedProcessIsFree) {
  ForkGuard guard;
  guard.check(1, kParent);
  EXPECT_NO_THROW(guard.check(2, kChild));
}

}  // namespace
}  // namespace siliconprof::cpu
