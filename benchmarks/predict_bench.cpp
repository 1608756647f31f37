#include <array>
#include <cstdio>
#include <string>

#include "benchmarks.h"
#include "siliconprof/core/clock.h"
#include "siliconprof/core/quantile.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::bench {
namespace {

Number number(double value) { return {value, NumberKind::Assumed, "benchmark", 0.2}; }

// As many numbers as a shipped device has; their values don't change the time.
Model make_model() {
  Device device{"m2-ultra",
                "M2 Ultra",
                "apple",
                "apple-m2",
                {{"memory.bandwidth_bytes_per_s", number(8e11)},
                 {"peak.matrix.float32_flops_per_s", number(2.7e13)},
                 {"peak.vector.float32_flops_per_s", number(2.7e13)}}};
  Framework framework{"mlx", "MLX", {"apple"}, {{"launch.dispatch_s", number(3e-6)}}};
  for (int i = 0; i < kOpClassCount; ++i) {
    const std::string stem = "efficiency.any." + std::string(name(static_cast<OpClass>(i)));
    framework.numbers[stem + ".compute.any"] = number(0.8);
    framework.numbers[stem + ".bandwidth"] = number(0.8);
  }
  return {device, framework};
}

}  // namespace

void predict() {
  const Model model = make_model();
  const Trace trace = single_op("matmul", {{"batch", 8}, {"m", 2000}, {"k", 2000}, {"n", 2000}},
                                Dtype::Float32, {}, false);
  constexpr int kBatches = 25;
  constexpr int kPerBatch = 20000;
  SteadyClock clock;
  std::array<double, kBatches> nanoseconds{};
  double sum_s = 0.0;  // printed, so that nothing is optimised away
  for (double& batch : nanoseconds) {
    const double begin_s = clock.now_s();
    for (int i = 0; i < kPerBatch; ++i) sum_s += model.predict(trace).time_s();
    batch = (clock.now_s() - begin_s) * 1e9 / kPerBatch;
  }
  std::printf(
      "{\"what\": \"predict one op in C++\", \"unit\": \"ns\", \"median\": %.1f, \"q1\": %.1f, "
      "\"q3\": %.1f, \"sum_s\": %.3g}\n",
      median(nanoseconds), quantile(nanoseconds, 0.25), quantile(nanoseconds, 0.75), sum_s);
}

}  // namespace siliconprof::bench
