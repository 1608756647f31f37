#include "siliconprof/devices/queue.h"

#include <algorithm>

namespace siliconprof {

double Queue::run(double issue_s, double kernel_s) {
  host_s_ = (asynchronous_ ? host_s_ : device_s_) + issue_s;
  const double end_s = std::max(host_s_, device_s_) + kernel_s;
  const double step_s = end_s - device_s_;
  device_s_ = end_s;
  return step_s;
}

void Queue::wait() { host_s_ = std::max(host_s_, device_s_); }

}  // namespace siliconprof
