#pragma once

// The backend that measures this machine's CPU.

#include <map>
#include <optional>
#include <string>

#include "siliconprof/core/clock.h"
#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/profile/backend.h"

namespace siliconprof::cpu {

/// Processors that this process may run on.
int default_threads();

class CpuBackend final : public Backend {
 public:
  /// `threads` 0 takes default_threads(). The poll is called at least every kPollPeriod_s of kernel
  /// time. Throws ArgumentError for negative threads or more than 4096, EngineUnavailable.
  CpuBackend(const Engine& engine, int threads, Clock& clock, Poll poll);

  Origin origin() const override { return Origin::Measured; }
  const std::string& device() const override { return device_; }
  const std::string& framework() const override { return framework_; }
  void prepare(const Trace& trace) override;
  void execute(const OpCall& call, Span& span) override;
  double now_s() override { return clock_.now_s(); }
  std::map<std::string, std::string> environment() const override { return facts_; }

 private:
  const Engine& engine_;
  int threads_;
  Clock& clock_;
  Poll poll_;
  std::string device_ = "cpu";
  std::string framework_;
  const Trace* trace_ = nullptr;
  std::optional<BoundTrace> bound_;
  std::map<std::string, std::string> facts_;
  double last_poll_s_ = 0.0;
};

/// `threads`, or default_threads() for 0. Throws ArgumentError.
int checked_threads(int threads);

/// The threads that the engine will use: 1 where it has none. Throws ArgumentError;
/// EngineUnavailable for several in a child forked from a process that had used them.
int engine_threads(const Engine& engine, int threads);

}  // namespace siliconprof::cpu
