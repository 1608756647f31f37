#pragma once

// A machine and a framework with round numbers, for tests.

#include "siliconprof/devices/device.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {

inline Number made_number(double value, double relative_error = 0.0) {
  return {value, NumberKind::Assumed, "test", relative_error};
}

/// 10 TFLOP/s matrix and 1 TFLOP/s vector in float32, 40 and 2 in float16, 100 GB/s.
inline Device made_device() {
  return {"made",
          "Made",
          "apple",
          "apple-m2",
          {{"memory.bandwidth_bytes_per_s", made_number(1e11)},
           {"peak.matrix.float32_flops_per_s", made_number(1e13)},
           {"peak.matrix.float16_flops_per_s", made_number(4e13)},
           {"peak.vector.float32_flops_per_s", made_number(1e12)},
           {"peak.vector.float16_flops_per_s", made_number(2e12)}}};
}

/// Half of every peak, 5 us a launch, errors of 20 %.
inline Framework made_framework() {
  Framework framework{
      "made-fw", "Made", {"apple"}, {{"launch.dispatch_s", made_number(5e-6, 0.2)}}};
  for (int i = 0; i < kOpClassCount; ++i) {
    const std::string stem = "efficiency.any." + std::string(name(static_cast<OpClass>(i)));
    framework.numbers[stem + ".compute.any"] = made_number(0.5, 0.2);
    framework.numbers[stem + ".bandwidth"] = made_number(0.5, 0.2);
  }
  return framework;
}

}  // namespace siliconprof
