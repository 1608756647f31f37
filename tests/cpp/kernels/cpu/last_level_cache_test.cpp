#include "siliconprof/kernels/cpu/last_level_cache.h"

#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

TEST(LastLevelCache, IsWhatTheSystemReportsOrAnAssumedSize) {
  const std::int64_t reported = reported_last_level_cache_bytes();
  EXPECT_EQ(last_level_cache_bytes(), reported > 0 ? reported : std::int64_t{32} << 20);
}

TEST(LastLevelCache, IsLargerThanAFirstLevelCache) { EXPECT_GT(last_level_cache_bytes(), 1 << 16); }

}  // namespace
}  // namespace siliconprof::cpu
