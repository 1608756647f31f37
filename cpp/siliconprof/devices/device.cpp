#include "siliconprof/devices/device.h"

#include <algorithm>

#include "siliconprof/core/error.h"

namespace siliconprof {

std::array<std::string, 3> scopes(const Device& device) {
  return {device.family, device.vendor, "any"};
}

std::string peak_key(std::string_view unit, Dtype dtype) {
  return "peak." + std::string(unit) + "." + std::string(name(dtype)) + "_flops_per_s";
}

void check_support(const Framework& framework, const Device& device) {
  const auto& vendors = framework.vendors;
  if (std::find(vendors.begin(), vendors.end(), device.vendor) != vendors.end()) return;
  std::string listed;
  for (const std::string& vendor : vendors) listed += (listed.empty() ? "" : ", ") + vendor;
  throw DeviceError("[" + framework.id + "] doesn't run on " + device.id + " (vendor " +
                    device.vendor + "); needed: a device of " + listed);
}

}  // namespace siliconprof
