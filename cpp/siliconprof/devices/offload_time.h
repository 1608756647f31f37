#pragma once

// What a step whose optimizer is on a host costs besides its kernels: transfers over the link and
// updates by the host's cores. Pure functions of the amounts.

#include <optional>

#include "siliconprof/devices/device.h"
#include "siliconprof/devices/offload_plan.h"
#include "siliconprof/ops/cost.h"

namespace siliconprof {

/// Between a device and its host. Both ways work at once, and neither slows the other.
struct LinkUnit {
  double start_s = 0.0;  // of a transfer, besides its bytes
  double pinned_bytes_per_s = 0.0;
  double pageable_start_s = 0.0;  // in memory that may be paged, through the driver's own buffers
  double pageable_to_host_bytes_per_s = 0.0;
  double pageable_to_device_bytes_per_s = 0.0;
  double copy_s = 0.0;   // that the host takes to issue one
  double send_s = 0.0;   // of a gradient, from a hook of the backward pass
  double fetch_s = 0.0;  // of a parameter, between two updates
  double issue_relative_error = 0.0;
  double relative_error = 0.0;
};

/// A host's cores at an optimizer's update.
struct HostUnit {
  double bytes_per_s = 0.0;  // that updates reach of the memory's
  double flops_per_s = 0.0;
  double update_s = 0.0;       // of one call, besides its work
  double beside_part = 0.0;    // how much longer it and a pass take, each, at the same time
  double arriving_part = 0.0;  // of a transfer's time to the host, by how much it holds up updates
  double relative_error = 0.0;
};

/// What a device is beside. A device that shares its host's memory needs no transfer: `link` is
/// none, and they cost nothing.
struct OffloadUnit {
  std::optional<LinkUnit> link;
  HostUnit host;
  bool is_assumed = false;  // nothing is known of this device's host
};

/// Seconds on the link. `call.place` is one of its two ways.
double transfer_s(const LinkUnit& link, const PlacedCall& call, double bytes);

/// Seconds of the issuing thread for a transfer.
double issue_s(const LinkUnit& link, const PlacedCall& call);

/// Seconds of an update: the slower of its compulsory traffic and its arithmetic.
double update_s(const HostUnit& host, const Cost& cost);

/// Of the device's "link." and "host.", and the framework's "offload."; none where nothing says
/// what the host is. Throws DeviceError for some constants of the framework without the others.
std::optional<OffloadUnit> offload_unit(const Device& device, const Framework& framework);

}  // namespace siliconprof
