#include <string>

#include "siliconprof/devices/constants.h"

namespace siliconprof {

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
  unit.attention_watts = watts("other_part");
  unit.other_watts = unit.attention_watts;
  if (const Number* stream = constants.look_up("stream_byte_joules")) {
    unit.other_watts = watts("stream_part") + stream->value * memory_bytes_per_s(device);
  }
  unit.half_bytes = optional("half_bytes");
  unit.row_watts = optional("row_part") * board->value;
  unit.row_byte_joules = optional("row_stream_part") * board->value / memory_bytes_per_s(device);
  unit.row_half_bytes = optional("row_half_bytes");
  if (const Number* cores = find(device.numbers, "compute.cores")) {
    unit.cores = int(at_least_one(cores->value));
  }
  unit.clock_exponent = constants.value("clock_exponent");
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const Number* peak = find(device.numbers, peak_key("matrix", dtype));
    const std::string stem(name(dtype));
    const Number* part = constants.look_up(stem + ".peak_part");
    if (peak && part) unit.flop_joules[std::size_t(i)] = part->value * board->value / peak->value;
    // A family's boards have other limits and the same cores.
    const Number* joules = constants.look_up(stem + ".flop_joules");
    if (joules) unit.flop_joules[std::size_t(i)] = joules->value;
  }
  return unit;
}

}  // namespace siliconprof
