#include "siliconprof/counters/clocks.h"

#include <array>
#include <ctime>

namespace siliconprof {
namespace {

constexpr std::array<CounterInfo, 1> kCounters{{
    {"wall_s", "s", "machine", "clock_gettime(CLOCK_MONOTONIC)", "exact, 1 ns units",
     CounterKind::Delta},
}};

}  // namespace

std::span<const CounterInfo> ClockSource::counters() const { return kCounters; }

bool ClockSource::read(double* values) {
  timespec now{};
  if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return false;
  values[0] = double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
  return true;
}

}  // namespace siliconprof
