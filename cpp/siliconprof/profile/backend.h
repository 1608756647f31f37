#pragma once

// What runs a trace. A measuring backend's clock is the machine's; the model's clock is arithmetic.
// One loop serves both.

#include <map>
#include <string>

#include "siliconprof/ops/trace.h"
#include "siliconprof/profile/profile.h"

namespace siliconprof {

class Backend {
 public:
  virtual ~Backend() = default;

  virtual Origin origin() const = 0;
  virtual const std::string& device() const = 0;
  virtual const std::string& framework() const = 0;

  /// Makes ready what the trace needs (memory, kernels). Throws when it can't run the trace.
  virtual void prepare(const Trace&) {}
  /// Between prepare and the next prepare: called before each step.
  virtual void begin_step() {}
  /// Runs one call and advances the clock. Fills `span`: wall_s, and for a model terms and
  /// interval_s.
  virtual void execute(const OpCall& call, Span& span) = 0;
  /// Seconds on this backend's clock.
  virtual double now_s() = 0;
  /// Facts that belong beside the numbers: engine, version, threads...
  virtual std::map<std::string, std::string> environment() const { return {}; }
};

}  // namespace siliconprof
