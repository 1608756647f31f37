#pragma once

// Two clocks: the host issues kernels one after the other, the device runs them in that order. A
// kernel begins once it is issued and the one before it has ended; a step is bound by its launches
// where the host is the slower of the two.

namespace siliconprof {

class Queue {
 public:
  /// `asynchronous`: the host goes on while the device works. A CPU runs its kernels itself.
  explicit Queue(bool asynchronous) : asynchronous_(asynchronous) {}

  /// Issues a kernel; returns the seconds from the last kernel's end to this one's.
  double run(double issue_s, double kernel_s);
  /// The host waits for all that it issued.
  void wait();

 private:
  bool asynchronous_;
  double host_s_ = 0.0;
  double device_s_ = 0.0;
};

}  // namespace siliconprof
