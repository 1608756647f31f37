#pragma once

// Where time comes from. Tests and the model inject clocks of their own.

namespace siliconprof {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since an arbitrary origin; never goes back.
  virtual double now_s() = 0;
};

/// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  double now_s() override;
};

/// A clock that moves only when told to; for tests.
class FakeClock final : public Clock {
 public:
  double now_s() override { return now_s_; }
  void advance(double seconds) { now_s_ += seconds; }

 private:
  double now_s_ = 0.0;
};

}  // namespace siliconprof
