#include <array>
#include <cstdio>

#include "benchmarks.h"
#include "siliconprof/core/clock.h"
#include "siliconprof/core/quantile.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof::bench {

void build() {
  SteadyClock clock;
  for (const char* id : {"gpt2-small", "gpt2-xl"}) {
    std::array<double, 25> milliseconds{};
    std::size_t calls = 0;
    for (double& each : milliseconds) {
      const double begin_s = clock.now_s();
      calls = training_step({.workload = id}).calls().size();
      each = (clock.now_s() - begin_s) * 1e3;
    }
    std::printf(
        "{\"what\": \"build a step of %s\", \"unit\": \"ms\", \"median\": %.3f, \"q1\": %.3f, "
        "\"q3\": %.3f, \"calls\": %zu}\n",
        id, median(milliseconds), quantile(milliseconds, 0.25), quantile(milliseconds, 0.75),
        calls);
  }
}

}  // namespace siliconprof::bench
