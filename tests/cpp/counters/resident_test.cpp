#include "siliconprof/counters/resident.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
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

TEST(Resident, LeavesAFileOfAChildsOwnAlone) {
  const int number = open("/dev/null", O_RDONLY);
  close(number);
  ResidentSource source;  // which has that number now
  const pid_t child = fork();
  if (child == 0) {
    dup2(open("/dev/zero", O_RDONLY), number);
    struct stat before {};
    struct stat after {};
    fstat(number, &before);
    std::array<double, 2> values{};
    const bool is_read = source.read(values.data());
    _exit(is_read && fstat(number, &after) == 0 && before.st_rdev == after.st_rdev ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
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
