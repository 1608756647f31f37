#include "siliconprof/devices/passes.h"

#include <utility>

namespace siliconprof {

PassCosts paced(PassCosts costs, double pace) {
  for (double& seconds : costs.begin_s) seconds /= pace;
  costs.decoder_s /= pace;
  return costs;
}

PassCosts costs_of(const PassCosts& costs, Phase first, Phase last) {
  return first == last ? PassCosts{} : costs;
}

double PassHost::before_s(Phase phase, bool waits) {
  if (phase == Phase::Transfer) return 0.0;  // copies run beside a pass and begin none
  const auto begun = [this](Phase some) -> bool& { return begun_[static_cast<std::size_t>(some)]; };
  // Another micro-batch.
  if (phase == Phase::Forward && (begun(Phase::Backward) || begun(Phase::Optimizer))) begun_ = {};
  if (!std::exchange(begun(phase), true)) return costs_.begin_s[static_cast<std::size_t>(phase)];
  return waits && phase == Phase::Forward ? costs_.decoder_s : 0.0;
}

}  // namespace siliconprof
