#include "siliconprof/kernels/cpu/caches.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "siliconprof/kernels/cpu/cpu_count.h"

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
  std::int64_t last_bytes() const { return data_caches_in(folder).back().bytes; }
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      (std::string("caches_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(LinuxCaches, ComeFromTheNearestToTheLast) {
  add(0, "1", "Data", "48K");
  add(1, "1", "Instruction", "32K");
  add(3, "3", "Unified", "32768K");
  add(2, "2", "Unified", "1024K");
  const std::vector<DataCache> found = data_caches_in(folder);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.front().bytes, 48 << 10);
  EXPECT_EQ(found[1].bytes, 1024 << 10);
  EXPECT_EQ(found.back().bytes, std::int64_t{32} << 20);
}

TEST_F(LinuxCaches, InstructionsAreNoData) {
  add(0, "1", "Data", "48K");
  add(1, "2", "Instruction", "4M");
  EXPECT_EQ(last_bytes(), 48 << 10);
}

TEST_F(LinuxCaches, SizesMayBeInMegabytesOrBytes) {
  add(0, "1", "Data", "65536");
  EXPECT_EQ(last_bytes(), 65536);
  add(1, "2", "Unified", "12M");
  EXPECT_EQ(last_bytes(), 12 << 20);
}

TEST_F(LinuxCaches, NoneWhereNothingIsListedOrReadable) {
  EXPECT_TRUE(data_caches_in(folder).empty());
  add(0, "?", "Data", "48K");
  EXPECT_TRUE(data_caches_in(folder).empty());
}

TEST(OwnPart, OfACacheForManyMoreCpusIsThoseOfTheProcess) {
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
  EXPECT_EQ(own_part_bytes(480 * kMebibyte, 2), 32 * kMebibyte);
  EXPECT_EQ(own_part_bytes(480 * kMebibyte, 120), 480 * kMebibyte);
  EXPECT_EQ(own_part_bytes(96 * kMebibyte, 8), 96 * kMebibyte);
  EXPECT_EQ(own_part_bytes(8 * kMebibyte, 1), 8 * kMebibyte);
}

TEST(LastLevelCache, IsThePartOfWhatTheSystemReportsOrAnAssumedSize) {
  const std::vector<DataCache> reported = reported_data_caches();
  const bool is_said = !reported.empty() && reported.back().bytes > 0;
  EXPECT_EQ(last_level_cache_bytes(), is_said ? own_part_bytes(reported.back().bytes, usable_cpus())
                                              : std::int64_t{32} << 20);
}

TEST(LastLevelCache, IsOneCpusWhereLinuxListsIt) {
  const auto listed = data_caches_in("/sys/devices/system/cpu/cpu0/cache");
  if (listed.empty()) GTEST_SKIP() << "no caches are listed here";
  EXPECT_EQ(reported_data_caches().back().bytes, listed.back().bytes);
}

TEST(LastLevelCache, IsLargerThanAFirstLevelCache) { EXPECT_GT(last_level_cache_bytes(), 1 << 16); }

TEST(FirstAndSecondCache, AreWhatTheSystemReports) {
  std::int64_t first = 32 << 10;  // assumed
  std::int64_t second = 0;
  for (const DataCache& cache : reported_data_caches()) {
    if (cache.level == 1 && cache.bytes > 0) first = cache.bytes;
    if (cache.level == 2) second = cache.bytes;
  }
  EXPECT_EQ(first_cache_bytes(), first);
  EXPECT_EQ(second_cache_bytes(), second);
}

}  // namespace
}  // namespace siliconprof::cpu
