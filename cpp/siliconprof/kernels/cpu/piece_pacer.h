#pragma once

// How much work to do between two polls. Cutting a product costs some of its speed (each piece
// packs the shared operand again), so pieces are as long as the answer to Ctrl-C allows, and that
// depends on how fast this machine turned out to be.

#include "siliconprof/core/clock.h"

namespace siliconprof::cpu {

/// Half of the time within which Ctrl-C is to be answered.
inline constexpr double kLongestPiece_s = 0.1;

class PiecePacer {
 public:
  explicit PiecePacer(double first_flops_per_s) : flops_per_s_(first_flops_per_s) {}

  /// FLOP of a piece that takes about kLongestPiece_s.
  double most_flops() const { return kLongestPiece_s * flops_per_s_; }
  /// What a piece took. A quick one counts in full, a slow one by half: interruptions only slow.
  void add(double flops, double seconds);

 private:
  double flops_per_s_;
};

}  // namespace siliconprof::cpu
