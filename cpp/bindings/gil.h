#pragma once

// The lock that lets one thread at a time run Python: given up for long work, taken back after it.

#include "bindings.h"
#include "siliconprof/core/interrupt.h"

namespace siliconprof::bindings {

/// Other Python threads run while it lives. A daemon's thread that is still in it when the
/// interpreter ends stays there until the process has ended.
class GilRelease {
 public:
  GilRelease() : thread_(PyEval_SaveThread()) {}
  ~GilRelease();
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* thread_;
};

/// Looks for Ctrl-C; throws it. Call it without the lock.
Poll signal_poll();

}  // namespace siliconprof::bindings
