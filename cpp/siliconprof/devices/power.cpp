#include "siliconprof/devices/power.h"

#include <algorithm>
#include <cmath>

namespace siliconprof {
namespace {

constexpr int kHalvings = 40;

/// What is left of watts or joules that endless operands take.
double saturated(double bytes, double half_bytes) {
  return half_bytes > 0.0 ? bytes / (bytes + half_bytes) : 1.0;
}

bool goes_by_channel(const OpCall& call) { return call.op->name.starts_with("batch_norm"); }

/// A core for each channel: others have nothing to do, and those that work wait for memory.
double by_channel_joules(const PowerUnit& unit, const OpCall& call, double bytes, double kernel_s) {
  const double working = std::min(1.0, double(call.dims[1]) / double(unit.cores));
  return unit.row_watts * working * kernel_s +
         unit.row_byte_joules * bytes * saturated(bytes, unit.row_half_bytes);
}

}  // namespace

bool is_clocked(const OpCall& call) { return call.op->product != nullptr; }

void PoweredWork::add(const PowerUnit& unit, const OpCall& call, const Cost& cost, double kernel_s,
                      double count) {
  const auto bytes = double(cost.bytes());
  if (unit.row_watts > 0.0 && goes_by_channel(call)) {
    fixed_joules += count * by_channel_joules(unit, call, bytes, kernel_s);
    return;
  }
  if (!is_clocked(call)) {
    const double watts =
        call.op->name.starts_with("attention") ? unit.attention_watts : unit.other_watts;
    fixed_joules += count * watts * saturated(bytes, unit.half_bytes) * kernel_s;
    return;
  }
  const double each = unit.flop_joules[static_cast<std::size_t>(call.dtype)].value_or(0.0);
  scaled_s += count * kernel_s;
  scaled_joules += count * (unit.busy_watts * saturated(bytes, unit.busy_half_bytes) * kernel_s +
                            double(cost.matrix_flops) * each);
}

double seconds_at(const PoweredWork& work, double clock) {
  return work.step_s + work.scaled_s * (1.0 / clock - 1.0);
}

double joules_at(const PoweredWork& work, const PowerUnit& unit, double clock) {
  // Power by clock to the exponent, for longer by the clock.
  const double scaled = work.scaled_joules * std::pow(clock, unit.clock_exponent - 1.0);
  return unit.idle_watts * seconds_at(work, clock) + scaled + work.fixed_joules;
}

namespace {

double clock_within(const PoweredWork& work, const PowerUnit& unit, double watts) {
  const auto fits = [&](double clock) {
    return joules_at(work, unit, clock) <= watts * seconds_at(work, clock);
  };
  if (fits(1.0)) return 1.0;
  double low = kLowestClock;
  double high = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double sustained_clock(const PoweredWork& work, const PowerUnit& unit) {
  return clock_within(work, unit, unit.board_watts);
}

std::optional<WarmUp> warm_up(const PoweredWork& work, const PowerUnit& unit, double clock) {
  if (!unit.thermal) return std::nullopt;
  const double watts = joules_at(work, unit, clock) / seconds_at(work, clock);
  const double excess_watts = watts - unit.thermal->sustained_watts;
  if (excess_watts <= 0.0) return std::nullopt;
  const double warm = std::min(clock, clock_within(work, unit, unit.thermal->sustained_watts));
  return WarmUp{unit.thermal->joules / excess_watts, seconds_at(work, warm), warm};
}

}  // namespace siliconprof
