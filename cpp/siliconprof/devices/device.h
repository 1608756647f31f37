#pragma once

// Machines and frameworks as data. Python reads their files; here they are structs.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "siliconprof/core/dtype.h"
#include "siliconprof/devices/number.h"

namespace siliconprof {

/// Facts of a machine. Keys (docs/device-files.md): memory.capacity_bytes,
/// memory.bandwidth_bytes_per_s, peak.matrix.<dtype>_flops_per_s,
/// peak.vector.<dtype>_flops_per_s...
struct Device {
  std::string id;
  std::string name;
  std::string vendor;  // "apple", "nvidia", "cpu"
  std::string family;  // "apple-m2", "nvidia-ampere"...
  Numbers numbers;

  bool operator==(const Device&) const = default;
};

/// What a framework costs and reaches. Keys (docs/framework-files.md): launch.dispatch_s,
/// efficiency.<scope>.<op class>.compute.<dtype>, efficiency.<scope>.<op class>.bandwidth, where
/// the scope is one of the device's (`scopes`); so is dtype, then "any".
struct Framework {
  std::string id;
  std::string name;
  std::vector<std::string> vendors;
  Numbers numbers;
  /// Why it can't do something at its version, by what that is (lacking.h).
  std::map<std::string, std::string> lacks = {};

  bool operator==(const Framework&) const = default;
};

/// Those whose numbers serve a device, nearest first: its family, its vendor, "any".
std::array<std::string, 3> scopes(const Device& device);

/// "peak.matrix.float32_flops_per_s".
std::string peak_key(std::string_view unit, Dtype dtype);

/// Throws DeviceError when the framework doesn't run on the device's vendor, naming those it does.
void check_support(const Framework& framework, const Device& device);

}  // namespace siliconprof
