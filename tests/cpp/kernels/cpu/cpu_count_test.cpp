#include "siliconprof/kernels/cpu/cpu_count.h"

#include <gtest/gtest.h>

#if defined(__linux__)
#include <sched.h>
#endif

namespace siliconprof::cpu {
namespace {

TEST(CpuCount, IsAtLeastOne) {
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_EQ(usable_processors().size(), std::size_t(usable_cpus()));
}

#if defined(__linux__)
// Where OpenMP binds no threads; tests/python/test_environment.py has it do so.
TEST(CpuCount, FollowsTheAffinityMask) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &all)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::vector<int> processors = processors_of_mask();
  EXPECT_EQ(usable_cpus(), 1);
  EXPECT_EQ(processors.size(), 1U);
  EXPECT_TRUE(CPU_ISSET(processors.front(), &one));
  sched_setaffinity(0, sizeof all, &all);
}
#endif

}  // namespace
}  // namespace siliconprof::cpu
