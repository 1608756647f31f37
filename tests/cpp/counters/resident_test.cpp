#include "siliconprof/counters/resident.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <vector>

namespace siliconprof {
namespace {

#if defined(__linux__)

TEST(Resident, ReadsPagesOfStatm) {
  const std::string path = testing::TempDir() + "statm";
  std::ofstream(path) << "1000 123 45 1 0 300 0\n";
  ResidentSource source(path);
  std::array<double, 2> values{};
  ASSERT_TRUE(source.read(values.data()));
  EXPECT_EQ(values[0], 123.0 * double(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(values[1], values[0]);
}

TEST(Resident, IsUnavailableWithAReasonAndRemedyWhereProcIsMissing) {
  const ResidentSource source("/nowhere/statm");
  EXPECT_FALSE(source.availability().available);
  EXPECT_NE(source.availability().reason.find("/nowhere/statm"), std::string::npos);
  EXPECT_FALSE(source.availability().remedy.empty());
}

TEST(Resident, RefusesAnEmptyFile) {
  const std::string path = testing::TempDir() + "statm_empty";
  std::ofstream(path) << "";
  ResidentSource source(path);
  std::array<double, 2> values{};
  EXPECT_FALSE(source.read(values.data()));
}

TEST(Resident, AForkedChildReadsItself) {
  ResidentSource source;
  const pid_t child = fork();
  if (child == 0) {
    // The child grows by 64 MiB; a descriptor of the parent's would not see it.
    constexpr std::size_t kGrowth = 64U << 20;
    std::array<double, 2> before{};
    std::array<double, 2> after{};
    source.read(before.data());
    std::vector<char> memory(kGrowth, 1);
    source.read(after.data());
    _exit(after[0] - before[0] > 0.9 * double(kGrowth) && memory[5] == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#else

TEST(Resident, IsUnavailableWithAReason) {
  EXPECT_FALSE(ResidentSource().availability().available);
  EXPECT_FALSE(ResidentSource().availability().reason.empty());
}

#endif

}  // namespace
}  // namespace siliconprof
