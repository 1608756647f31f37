#include "siliconprof/counters/usage.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <vector>

namespace siliconprof {
namespace {

TEST(UsageSource, ReadsOneValuePerRow) {
  UsageSource source;
  std::array<double, 6> values{};
  ASSERT_EQ(source.counters().size(), values.size());
  ASSERT_TRUE(source.read(values.data()));
  EXPECT_GT(values[1], 0.0) << "a process that runs has faulted";
  EXPECT_GT(values[5], 1e6) << "and holds more than a megabyte";
}

TEST(UsageSource, ThePeakIsNotThatOfTheProgramThatStartedThisOne) {
  const std::string path = testing::TempDir() + "status";
  std::ofstream(path) << "Name:\tx\nVmPeak:\t 9000 kB\nVmHWM:\t    1000 kB\nVmRSS:\t 900 kB\n";
  UsageSource started_by_a_larger_one(path);
  std::array<double, 6> values{};
  ASSERT_TRUE(started_by_a_larger_one.read(values.data()));
  EXPECT_EQ(values[5], 1000.0 * 1024.0);

  std::array<double, 6> plain{};
  ASSERT_TRUE(UsageSource("/nowhere/status").read(plain.data()));
  const std::vector<char> more(std::size_t(plain[5]) + (64U << 20), 1);
  const volatile char* seen = more.data();
  EXPECT_EQ(seen[more.size() / 2], 1);
  ASSERT_TRUE(started_by_a_larger_one.read(values.data()));
  EXPECT_GT(values[5], plain[5]) << "more than was inherited is its own";
}

TEST(UsageSource, ThePeakIsThatOfTheCallWhereNoFileTellsAnother) {
  UsageSource source("/nowhere/status");
  std::array<double, 6> values{};
  ASSERT_TRUE(source.read(values.data()));
  EXPECT_GT(values[5], 1e6);
}

}  // namespace
}  // namespace siliconprof
