#pragma once

// What the host does once in a pass of a step, beside issuing its calls.

#include <array>

#include "siliconprof/ops/op.h"

namespace siliconprof {

struct PassCosts {
  /// Seconds before the first call of each phase: code that no call has run yet, the engine that
  /// goes through a graph, an optimizer's own bookkeeping.
  std::array<double, kPhaseCount> begin_s{};
  /// Before a decoder whose tokens the host looks at (host_waits.h): shifted labels, masks.
  double decoder_s = 0.0;
};

/// What the host does besides for a checkpointed block: its own bookkeeping, charged where the
/// block is computed again, and of each of its calls what is kept, given up, and looked for in the
/// end. Casts keep nothing.
struct AgainCosts {
  double block_s = 0.0;
  double call_s = 0.0;
};

/// Of a host that issues at `pace` of the one that the costs were measured on.
PassCosts paced(PassCosts costs, double pace);

/// Of calls that begin and end in these phases: none in one phase alone, as a single operation has.
PassCosts costs_of(const PassCosts& costs, Phase first, Phase last);

/// Follows the calls of a step in their order.
class PassHost {
 public:
  explicit PassHost(const PassCosts& costs) : costs_(costs) {}

  /// Seconds of the host before it issues a call of `phase`, which begins once in a pass even where
  /// updates run between the calls of a backward pass; `waits`: for the device, there.
  double before_s(Phase phase, bool waits);

 private:
  PassCosts costs_;
  std::array<bool, kPhaseCount> begun_{};
};

}  // namespace siliconprof
