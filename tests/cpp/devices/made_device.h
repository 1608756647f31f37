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

/// The same with so many cores at a clock.
inline Device made_device(double cores, double clock_hz) {
  Device device = made_device();
  device.numbers["compute.cores"] = made_number(cores);
  device.numbers["compute.clock_hz"] = made_number(clock_hz);
  return device;
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

/// The made device behind a link of 10 GB/s, with a host of 20 GB/s and 1 TFLOP/s: pinned copies at
/// half of the link and 1 us, pageable ones at 2 and 1 GB/s and 10 us, updates at half of the
/// memory's bandwidth and 2 us, issuing 1 us, 3 us from a hook, 2 us between updates.
inline Device made_offloading_device() {
  Device device = made_device();
  device.vendor = "nvidia";
  device.family = "nvidia-made";
  device.numbers["link.bandwidth_bytes_per_s"] = made_number(1e10);
  device.numbers["host.memory_bandwidth_bytes_per_s"] = made_number(2e10, 0.1);
  device.numbers["host.vector_flops_per_s"] = made_number(1e12);
  return device;
}

inline Framework made_offloading_framework() {
  Framework framework = made_framework();
  framework.vendors = {"nvidia", "apple"};
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, double>>{
           {"pinned_part", 0.5},
           {"start_s", 1e-6},
           {"pageable_start_s", 1e-5},
           {"pageable_to_host_bytes_per_s", 2e9},
           {"pageable_to_device_bytes_per_s", 1e9},
           {"copy_s", 1e-6},
           {"send_s", 3e-6},
           {"fetch_s", 2e-6},
           {"update_part", 0.5},
           {"update_s", 2e-6},
           {"beside_part", 0.5},
           {"arriving_part", 0.25}}) {
    framework.numbers[std::string("offload.") + key] = made_number(value);
  }
  return framework;
}

/// The made device with as much memory: 100 kB are the system's, and a tenth of 1.2 MB.
inline Device made_paging_device() {
  Device device = made_device();
  device.numbers["memory.capacity_bytes"] = made_number(1.2e6);
  device.numbers["memory.working_set_limit_bytes"] = made_number(1e6);
  device.numbers["paging.page_bytes"] = made_number(1e3);
  device.numbers["paging.wire_s"] = made_number(1e-6, 0.25);
  device.numbers["paging.system_bytes"] = made_number(80e3);
  device.numbers["paging.system_part"] = made_number(0.1);
  device.numbers["paging.swap_fault_s"] = made_number(98e-6, 0.5);
  device.numbers["paging.disk_bandwidth_bytes_per_s"] = made_number(1e9);
  return device;
}

/// Keeps four fifths of what is wired.
inline Framework made_keeping_framework() {
  Framework framework = made_framework();
  framework.numbers["memory.apple.kept_part"] = made_number(0.8, 0.1);
  return framework;
}

}  // namespace siliconprof
