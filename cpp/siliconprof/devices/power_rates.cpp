#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/devices/constants.h"

namespace siliconprof {
namespace {

/// Of what endless operands of a kernel that moves data draw: its cores, and the bytes of a second.
struct StreamWatts {
  double watts = 0.0;
  double error = 0.0;  // as a part
};

StreamWatts stream_watts(const Number& cores, const Number& byte_joules, double board_watts,
                         double bytes_per_s) {
  const double cores_watts = cores.value * board_watts;
  const double bytes_watts = byte_joules.value * bytes_per_s;
  const double watts = cores_watts + bytes_watts;
  const double off_watts =
      std::hypot(cores_watts * cores.relative_error, bytes_watts * byte_joules.relative_error);
  return {watts, off_watts / watts};
}

/// Joules of a product's FLOP in each format.
void add_flops(PowerUnit& unit, const Device& device, const Constants& constants, double watts) {
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const auto place = static_cast<std::size_t>(i);
    const Number* peak = find(device.numbers, peak_key("matrix", dtype));
    const std::string stem(name(dtype));
    const Number* part = constants.look_up(stem + ".peak_part");
    if (peak && part) {
      unit.flop_joules[place] = part->value * watts / peak->value;
      unit.errors.flops[place] = part->relative_error;
    }
    // A family's boards have other limits and the same cores.
    if (const Number* joules = constants.look_up(stem + ".flop_joules")) {
      unit.flop_joules[place] = joules->value;
      unit.errors.flops[place] = joules->relative_error;
    }
  }
}

/// Errors of the constants that the board's watts are parts of.
PowerErrors part_errors(const Constants& constants) {
  const auto error = [&](const char* key) {
    const Number* number = constants.look_up(key);
    return number ? number->relative_error : 0.0;
  };
  PowerErrors errors;
  errors.idle = error("idle_part");
  errors.parts[static_cast<std::size_t>(PowerPart::Busy)] = error("busy_part");
  errors.parts[static_cast<std::size_t>(PowerPart::Attention)] = error("other_part");
  errors.parts[static_cast<std::size_t>(PowerPart::Other)] = error("other_part");
  errors.traffic = error("other_part");
  errors.parts[static_cast<std::size_t>(PowerPart::Rows)] =
      std::max(error("row_part"), error("row_stream_part"));
  return errors;
}

}  // namespace

std::optional<PowerUnit> power_unit(const Device& device, const Framework& framework) {
  const Number* board = find(device.numbers, "power.board_watts");
  const Constants constants(device, framework, "power", "");
  if (!board || !constants.look_up("idle_part")) return std::nullopt;
  PowerUnit unit;
  const auto watts = [&](const char* key) { return constants.value(key) * board->value; };
  const auto optional = [&](const char* key) {
    const Number* number = constants.look_up(key);
    return number ? number->value : 0.0;
  };
  // What its parts draw doesn't follow a limit that is set below, or above, the board's own.
  const Number* limit = find(device.numbers, "power.limit_watts");
  unit.board_watts = limit ? limit->value : board->value;
  const Number* sustained = find(device.numbers, "power.sustained_watts");
  const Number* heat = find(device.numbers, "power.thermal_joules");
  if (sustained && heat) unit.thermal = ThermalBudget{sustained->value, heat->value};
  unit.idle_watts = watts("idle_part");
  unit.busy_watts = watts("busy_part");
  unit.busy_half_bytes = optional("busy_half_bytes");
  unit.core_watts = watts("other_part");
  unit.traffic_watts = unit.core_watts;
  unit.errors = part_errors(constants);
  unit.errors.board = board->relative_error;
  unit.errors.limit = limit ? limit->relative_error : board->relative_error;
  if (const Number* stream = constants.look_up("stream_byte_joules")) {
    const StreamWatts found = stream_watts(constants.number("stream_part"), *stream, board->value,
                                           memory_bytes_per_s(device));
    unit.traffic_watts = found.watts;
    unit.stream_bytes_per_s = memory_bytes_per_s(device);
    unit.errors.traffic = found.error;
  }
  unit.half_bytes = optional("half_bytes");
  unit.row_watts = optional("row_part") * board->value;
  unit.row_byte_joules = optional("row_stream_part") * board->value / memory_bytes_per_s(device);
  unit.row_half_bytes = optional("row_half_bytes");
  if (const Number* cores = find(device.numbers, "compute.cores")) {
    unit.cores = int(at_least_one(cores->value));
  }
  unit.clock_exponent = constants.value("clock_exponent");
  add_flops(unit, device, constants, board->value);
  return unit;
}

}  // namespace siliconprof
