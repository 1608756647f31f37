#include "siliconprof/devices/power.h"

#include <algorithm>
#include <cmath>

namespace siliconprof {
namespace {

constexpr int kHalvings = 40;

std::size_t place(PowerPart part) { return static_cast<std::size_t>(part); }

/// What is left of watts or joules that endless operands take.
double saturated(double bytes, double half_bytes) {
  return half_bytes > 0.0 ? bytes / (bytes + half_bytes) : 1.0;
}

bool goes_by_channel(const OpCall& call) { return call.op->name.starts_with("batch_norm"); }

/// A sum along rows, whose threads go along them one after the other, waits for what it doesn't
/// stream and draws nothing meanwhile.
bool waits(const PowerUnit& unit, const OpCall& call) {
  return call.op->name == "sum" && !call.crosses && unit.stream_bytes_per_s > 0.0;
}

bool attends(const OpCall& call) { return call.op->name.starts_with("attention"); }

bool is_product(const OpCall& call) { return call.op->product != nullptr; }

/// A core for each channel: others have nothing to do.
double by_channel_watts(const PowerUnit& unit, const OpCall& call) {
  return unit.row_watts * std::min(1.0, double(call.dims[1]) / double(unit.cores));
}

/// And those that work wait for memory.
double by_channel_joules(const PowerUnit& unit, double bytes) {
  return unit.row_byte_joules * bytes * saturated(bytes, unit.row_half_bytes);
}

}  // namespace

double PowerErrors::of(PowerPart part, Dtype dtype) const {
  if (part == PowerPart::Flops) return flops[static_cast<std::size_t>(dtype)];
  return parts[static_cast<std::size_t>(part)];
}

double clocked_s(const OpCall& call, const WorkSeconds& kernel) {
  return is_product(call) || attends(call) ? kernel.total_s : kernel.clocked_s();
}

void PoweredWork::add(const PowerUnit& unit, const OpCall& call, const Cost& cost,
                      const WorkSeconds& kernel, double count, double time_error) {
  scaled_s += count * clocked_s(call, kernel);
  const auto bytes = double(cost.bytes());
  if (is_product(call)) {
    add_product(unit, call, cost, kernel.total_s, count, time_error);
  } else if (unit.row_watts > 0.0 && goes_by_channel(call)) {
    add_rows(unit, call, bytes, kernel.total_s, count, time_error);
  } else if (attends(call)) {
    add_attention(unit, bytes, kernel.total_s, count, time_error);
  } else {
    add_other(unit, call, bytes, kernel, count, time_error);
  }
}

void PoweredWork::add_product(const PowerUnit& unit, const OpCall& call, const Cost& cost,
                              double kernel_s, double count, double time_error) {
  const double each = unit.flop_joules[static_cast<std::size_t>(call.dtype)].value_or(0.0);
  const double busy =
      count * unit.busy_watts * saturated(double(cost.bytes()), unit.busy_half_bytes) * kernel_s;
  const double flops = count * double(cost.matrix_flops) * each;
  scaled_joules += busy + flops;
  add_off(PowerPart::Busy, busy, unit.errors.of(PowerPart::Busy, call.dtype), time_error);
  // Arithmetic takes what it takes, however long.
  add_off(PowerPart::Flops, flops, unit.errors.of(PowerPart::Flops, call.dtype), 0.0);
}

void PoweredWork::add_rows(const PowerUnit& unit, const OpCall& call, double bytes, double kernel_s,
                           double count, double time_error) {
  const double timed = count * by_channel_watts(unit, call) * kernel_s;
  const double moved = count * by_channel_joules(unit, bytes);
  fixed_joules += timed + moved;
  const double error = unit.errors.of(PowerPart::Rows, call.dtype);
  add_off(PowerPart::Rows, timed, error, time_error);
  add_off(PowerPart::Rows, moved, error, 0.0);
}

void PoweredWork::add_attention(const PowerUnit& unit, double bytes, double kernel_s, double count,
                                double time_error) {
  const double joules = count * unit.core_watts * saturated(bytes, unit.half_bytes) * kernel_s;
  scaled_joules += joules;
  add_off(PowerPart::Attention, joules, unit.errors.parts[place(PowerPart::Attention)], time_error);
}

void PoweredWork::add_other(const PowerUnit& unit, const OpCall& call, double bytes,
                            const WorkSeconds& kernel, double count, double time_error) {
  double traffic_s = kernel.traffic_s;
  double cores_s = kernel.total_s - traffic_s;
  if (waits(unit, call)) {
    traffic_s = std::min(kernel.total_s, bytes / unit.stream_bytes_per_s);
    cores_s = 0.0;
  }
  const double part = count * saturated(bytes, unit.half_bytes);
  const double core_joules = part * unit.core_watts * cores_s;
  const double traffic_joules = part * unit.traffic_watts * traffic_s;
  scaled_joules += core_joules;
  fixed_joules += traffic_joules;
  add_off(PowerPart::Other, core_joules, unit.errors.parts[place(PowerPart::Other)], time_error);
  add_off(PowerPart::Other, traffic_joules, unit.errors.traffic, time_error);
}

void PoweredWork::add_off(PowerPart part, double joules, double error, double time_error) {
  constants_off[place(part)] += error * joules;
  times_off[place(part)] += time_error * joules;
}

double seconds_at(const PoweredWork& work, double clock) {
  return work.step_s + work.scaled_s * (1.0 / clock - 1.0);
}

namespace {

/// Of the energy of what the clock stretches: power by clock to the exponent, for longer by the
/// clock.
double scale_at(const PowerUnit& unit, double clock) {
  return std::pow(clock, unit.clock_exponent - 1.0);
}

/// Root of the sum of squares at a part of the full clock.
double together(const PartJoules& off, double scale) {
  double squares = 0.0;
  for (std::size_t i = 0; i < kPowerParts; ++i) {
    const auto part = static_cast<PowerPart>(i);
    const bool is_scaled =
        part == PowerPart::Busy || part == PowerPart::Flops || part == PowerPart::Attention;
    const double joules = is_scaled ? scale * off[i] : off[i];
    squares += joules * joules;
  }
  return std::sqrt(squares);
}

}  // namespace

double joules_at(const PoweredWork& work, const PowerUnit& unit, double clock) {
  const double scaled = work.scaled_joules * scale_at(unit, clock);
  return unit.idle_watts * seconds_at(work, clock) + scaled + work.fixed_joules;
}

Interval joules_bounds(const PoweredWork& work, const PowerUnit& unit, double clock,
                       Interval step_s, double watts) {
  const double seconds = seconds_at(work, clock);
  const double joules = joules_at(work, unit, clock);
  const double scale = scale_at(unit, clock);
  const double idle_off = unit.errors.idle * unit.idle_watts * seconds;
  const double board_off = unit.errors.board * joules;
  const double constants_off = std::hypot(together(work.constants_off, scale), idle_off, board_off);
  const double kernels_off = together(work.times_off, scale);
  const auto off = [&](double longer_s) {
    return std::hypot(constants_off, kernels_off + watts * longer_s);
  };
  const double least = joules - std::min(off(seconds - step_s.lo), 0.9 * joules);
  const double most = joules + off(step_s.hi - seconds);
  const double may_draw = unit.board_watts * (1.0 + unit.errors.limit) * step_s.hi;
  return {least, std::max(joules, std::min(most, may_draw))};
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
