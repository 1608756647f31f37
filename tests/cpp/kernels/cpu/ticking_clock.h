#pragma once

#include "siliconprof/core/clock.h"

namespace siliconprof::cpu {

/// Moves by one tick each time it is read.
class TickingClock final : public Clock {
 public:
  explicit TickingClock(double tick_s) : tick_s_(tick_s) {}
  double now_s() override { return now_s_ += tick_s_; }

 private:
  double tick_s_;
  double now_s_ = 0.0;
};

}  // namespace siliconprof::cpu
