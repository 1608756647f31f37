#include "siliconprof/kernels/cpu/threads_at_fork.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "siliconprof/kernels/cpu/parallel.h"

namespace siliconprof::cpu {
namespace {

int shares_run() {
  std::atomic<int> shares{0};
  parallel_shares(2, 2, 1, [&](std::int64_t, std::int64_t, int) { ++shares; });
  return shares;
}

TEST(ThreadsAtFork, AChildSharesLoopsAsItsParentDid) {
  end_threads_at_forks();
  ASSERT_EQ(shares_run(), 2);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that waits for ever is killed, which its status tells
    _exit(shares_run() == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(shares_run(), 2);
}

}  // namespace
}  // namespace siliconprof::cpu
