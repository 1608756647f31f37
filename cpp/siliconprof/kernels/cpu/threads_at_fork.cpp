#include "siliconprof/kernels/cpu/fork_guard.h"

#include <unistd.h>

#include <mutex>
#include <string>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {

void ForkGuard::check(int threads, int process) {
  if (threads < 2) return;
  if (owner_ == 0) owner_ = process;
  if (owner_ == process) return;
  throw EngineUnavailable("[cpu] " + std::to_string(threads) +
                          " threads asked for in a process forked from one that had used threads; "
                          "needed: threads=1, or a child started by spawn or forkserver");
}

void guard_against_fork(int threads) {
  static std::mutex mutex;
  static ForkGuard guard;
  const std::lock_guard lock(mutex);
  guard.check(threads, getpid());
}

}  // namespace siliconprof::cpu
