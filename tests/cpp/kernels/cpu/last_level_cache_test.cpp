#include "siliconprof/kernels/cpu/last_level_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace siliconprof::cpu {
namespace {

// A folder of caches as Linux lists them, gone with the test.
class LinuxCaches : public testing::Test {
 protected:
  LinuxCaches() { std::filesystem::remove_all(folder); }
  ~LinuxCaches() override { std::filesystem::remove_all(folder); }
  void add(int index, const std::string& level, const std::string& type, const std::string& size) {
    const std::filesystem::path cache = folder / ("index" + std::to_string(index));
    std::filesystem::create_directories(cache);
    std::ofstream(cache / "level") << level << '\n';
    std::ofstream(cache / "type") << type << '\n';
    std::ofstream(cache / "size") << size << '\n';
  }
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      (std::string("caches_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(LinuxCaches, TheHighestLevelCounts) {
  add(0, "1", "Data", "48K");
  add(1, "1", "Instruction", "32K");
  add(3, "3", "Unified", "32768K");
  add(2, "2", "Unified", "1024K");
  EXPECT_EQ(last_level_cache_bytes_in(folder), std::int64_t{32} << 20);
}

TEST_F(LinuxCaches, InstructionsAreNoData) {
  add(0, "1", "Data", "48K");
  add(1, "2", "Instruction", "4M");
  EXPECT_EQ(last_level_cache_bytes_in(folder), 48 << 10);
}

TEST_F(LinuxCaches, SizesMayBeInMegabytesOrBytes) {
  add(0, "1", "Data", "65536");
  EXPECT_EQ(last_level_cache_bytes_in(folder), 65536);
  add(1, "2", "Unified", "12M");
  EXPECT_EQ(last_level_cache_bytes_in(folder), 12 << 20);
}

TEST_F(LinuxCaches, NoneWhereNothingIsListedOrReadable) {
  EXPECT_EQ(last_level_cache_bytes_in(folder), 0);
  add(0, "?", "Data", "48K");
  EXPECT_EQ(last_level_cache_bytes_in(folder), 0);
}

TEST(LastLevelCache, IsWhatTheSystemReportsOrAnAssumedSize) {
  const std::int64_t reported = reported_last_level_cache_bytes();
  EXPECT_EQ(last_level_cache_bytes(), reported > 0 ? reported : std::int64_t{32} << 20);
}

TEST(LastLevelCache, IsOneCpusWhereLinuxListsIt) {
  const std::int64_t listed = last_level_cache_bytes_in("/sys/devices/system/cpu/cpu0/cache");
  if (listed == 0) GTEST_SKIP() << "no caches are listed here";
  EXPECT_EQ(reported_last_level_cache_bytes(), listed);
}

TEST(LastLevelCache, IsLargerThanAFirstLevelCache) { EXPECT_GT(last_level_cache_bytes(), 1 << 16); }

}  // namespace
}  // namespace siliconprof::cpu
