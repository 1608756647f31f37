#include "siliconprof/kernels/cpu/piece_pacer.h"

namespace siliconprof::cpu {

void PiecePacer::add(double flops, double seconds) {
  constexpr double kTooShortToTell_s = 1e-4;
  if (seconds < kTooShortToTell_s) return;
  const double found = flops / seconds;
  flops_per_s_ = found > flops_per_s_ ? found : 0.5 * (found + flops_per_s_);
}

}  // namespace siliconprof::cpu
