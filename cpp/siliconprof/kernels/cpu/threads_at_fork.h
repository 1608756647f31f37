#pragma once

// A process forked from one whose OpenMP threads have run has their memory but not the threads: its
// first parallel loop would wait for them for ever.

namespace siliconprof::cpu {

class ForkGuard {
 public:
  /// Remembers the first process that asks for several threads. Throws EngineUnavailable when
  /// another one, its child, asks for several.
  void check(int threads, int process);

 private:
  int owner_ = 0;
};

/// The same for this process, whose guard lives as long as its threads.
void guard_against_fork(int threads);

}  // namespace siliconprof::cpu
