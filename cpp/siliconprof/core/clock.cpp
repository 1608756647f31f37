#include "siliconprof/core/clock.h"

#include <chrono>

namespace siliconprof {

double SteadyClock::now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace siliconprof
