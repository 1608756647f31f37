#pragma once

// What a step may take of a device's memory.

#include "siliconprof/devices/device.h"

namespace siliconprof {

/// Bytes that a step's tensors, and what their allocator keeps for later, may take. Of a unified
/// memory what its system recommends a GPU to hold (memory.working_set_limit_bytes), else the
/// capacity; of a board what error correction and the driver leave of that (memory.usable_part)
/// less what the framework's process takes before its first tensor
/// (memory.<scope>.context_bytes), 0 at least. Throws DeviceError where the device says no
/// capacity.
Number usable_memory(const Device& device, const Framework& framework);

}  // namespace siliconprof
