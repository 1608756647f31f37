#include "siliconprof/counters/table.h"

#include <array>

#include "siliconprof/counters/clocks.h"
#include "siliconprof/counters/resident.h"
#include "siliconprof/counters/usage.h"

namespace siliconprof {

std::span<CounterSource* const> counter_sources() {
  static ClockSource clocks;
  static UsageSource usage;
  static ResidentSource resident;
  static const std::array<CounterSource*, 3> sources{&clocks, &usage, &resident};
  return sources;
}

std::span<const std::string_view> counter_names() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const CounterSource* source : counter_sources()) {
      for (const CounterInfo& info : source->counters()) all.push_back(info.name);
    }
    return all;
  }();
  return names;
}

}  // namespace siliconprof
