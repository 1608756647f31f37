#pragma once

// Where each call of a step runs, and what it waits for, where some of the step is on a host.

#include <array>
#include <cstdint>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Each place does its calls one after the other, in the order of the trace.
enum class Place : std::uint8_t {
  Device,
  ToHost,    // the link, one way
  ToDevice,  // and the other
  Host,      // the thread that issues everything: it issues nothing meanwhile
  Beside,    // another thread of the host, for what waits for nothing that this step makes
};
inline constexpr std::size_t kPlaces = 5;

struct PlacedCall {
  Place place = Place::Device;
  bool pageable = false;  // of a transfer: the host waits for it
  bool is_early = false;  // of a transfer: while what it comes from goes on, on a stream of its own
  /// By place, the last call that has to end before this one begins; -1: none. Calls of its own
  /// place need no word.
  std::array<std::int32_t, kPlaces> after{-1, -1, -1, -1, -1};

  bool operator==(const PlacedCall&) const = default;
};

/// The same call wherever it stands in a step: without what it waits for.
inline PlacedCall unordered(const PlacedCall& call) {
  return {call.place, call.pageable, call.is_early};
}

/// One for each call; empty where the step keeps nothing on a host: one that does
/// ends with what returns from it. A call waits for those that
/// wrote what it reads, and for those that read or wrote what it overwrites.
std::vector<PlacedCall> place_calls(const Trace& trace);

/// Of one call, of a list that is empty where all of them are the device's.
inline PlacedCall placed_at(const std::vector<PlacedCall>& placed, std::size_t call) {
  return placed.empty() ? PlacedCall() : placed[call];
}

}  // namespace siliconprof
