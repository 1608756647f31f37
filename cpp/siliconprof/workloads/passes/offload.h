#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// When what crosses to the host and back does so.
enum class OffloadMode : std::uint8_t {
  None,
  Pageable,    // after the backward pass and after the update, in memory that may be paged
  Serial,      // then too, in pinned memory
  Overlapped,  // a gradient as soon as it is complete, a parameter as soon as it is updated
  Delayed,     // overlapped, and the update is one step late: it runs beside the pass
};
/// "none", "pageable", "serial", "overlapped", "delayed".
std::span<const std::string_view> offload_names();
/// Throws UnknownNameError.
OffloadMode parse_offload(std::string_view text);

/// ZeRO-Offload: a whole step whose optimizer phase runs on the host. Its states and a master copy
/// of each parameter live there; gradients are sent over, parameters sent back: copies of phase
/// transfer, which may overlap what follows. The gradients' memory on the device is free after its
/// transfer. The same values as without; delayed, those of an update with the gradients of the step
/// before, zero in the first, and a second set of gradients on the host.
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training",
/// arXiv 2101.06840.
Trace offload(const Trace& trace, OffloadMode mode = OffloadMode::Overlapped);

}  // namespace siliconprof
