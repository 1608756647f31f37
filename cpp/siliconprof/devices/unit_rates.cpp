#include "siliconprof/devices/unit_rates.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "siliconprof/devices/constants.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 2> kDirections{"forward", "backward"};

/// A core's arithmetic beside that of the cores that a scope's products were measured on
/// ("product.<scope>.<dtype>.core_flops_per_cycle"); 1 where nothing is said. What cores do beside
/// arithmetic takes cycles: where they have less of it, the same cycles are worth less.
double core_strength(const Device& device, const Framework& framework, Dtype dtype) {
  const Number* peak = find(device.numbers, peak_key("matrix", dtype));
  const std::optional<double> cycles_per_s = core_cycles_per_s(device);
  const Number* measured =
      find_scoped(device, framework, "product", std::string(name(dtype)) + ".core_flops_per_cycle");
  if (!peak || !cycles_per_s || !measured) return 1.0;
  return peak->value / *cycles_per_s / measured->value;
}

/// A part of the arithmetic's rate on cores of another strength: the rest is time of its own.
double eased(double part, double strength) {
  return part > 0.0 ? 1.0 / (1.0 + (1.0 / part - 1.0) * strength) : part;
}

std::optional<AttentionRate> attention_rate(const Device& device, const Framework& framework,
                                            Dtype dtype, std::string_view direction) {
  const Number* peak = find(device.numbers, peak_key("matrix", dtype));
  const Number* cores = find(device.numbers, "compute.cores");
  const Constants constants(device, framework, "attention",
                            std::string(name(dtype)) + "." + std::string(direction) + ".");
  if (!peak || !cores || !constants.look_up("reach")) return std::nullopt;
  AttentionRate rate;
  rate.unit.core_flops_per_s = peak->value / cores->value;
  rate.unit.cores = int(at_least_one(cores->value));
  rate.unit.tile = at_least_one(constants.value("tile"));
  rate.unit.start_s = constants.value("start_s");
  const double strength = core_strength(device, framework, dtype);
  const double reach = constants.value("reach");
  rate.unit.reach = eased(reach, strength);
  // Counted in tiles, which take another number of cycles here.
  const double tiles_each = strength * rate.unit.reach / reach;
  rate.unit.block_tiles = constants.value("block_tiles") * tiles_each;
  rate.unit.alone = constants.value("alone");
  rate.unit.tail = constants.value("tail");
  if (const Number* tiles = constants.look_up("key_tiles")) {
    rate.unit.key_tiles = at_least_one(tiles->value);
  }
  if (const Number* tiles = constants.look_up("split_tiles")) {
    rate.unit.split_tiles = tiles->value * tiles_each;
  }
  if (const Number* bytes = constants.look_up("beside_bytes")) {
    rate.unit.beside_bytes = bytes->value;
  }
  rate.relative_error = peak->relative_error + constants.number("reach").relative_error;
  return rate;
}

/// Of "issue.<scope>.<phase>.<op>", by dtype: its own constant beside that of all, else that.
/// What nothing is said of in a backward pass, as an op of the forward pass that is run again, is
/// issued as in the forward pass.
std::array<std::optional<double>, kDtypeCount> issues_s(const Device& device,
                                                        const Framework& framework, const Op& op,
                                                        Phase phase) {
  std::array<std::optional<double>, kDtypeCount> found;
  const std::string stem = std::string(name(phase)) + "." + std::string(op.name);
  const Number* any = find_scoped(device, framework, "issue", stem + "_s");
  if (!any && phase == Phase::Backward) return issues_s(device, framework, op, Phase::Forward);
  if (!any) return found;
  for (int i = 0; i < kDtypeCount; ++i) {
    const std::string dtype(name(static_cast<Dtype>(i)));
    const Number* own = find_scoped(device, framework, "issue", stem + "." + dtype + "_s");
    found[std::size_t(i)] = (own ? own : any)->value;
  }
  return found;
}

/// Of "row.<scope>.<op>.": the dtype's own constant, else that of all.
std::optional<double> row_rate(const Device& device, const Framework& framework, const Op& op,
                               Dtype dtype) {
  const std::string stem = std::string(op.name) + ".";
  for (const std::string& kind : {std::string(name(dtype)) + ".", std::string()}) {
    const Number* rate = find_scoped(device, framework, "row", stem + kind + "elements_per_s");
    if (rate) return rate->value;
  }
  return std::nullopt;
}

/// Of "row.<scope>.<op>.<dtype>.bytes_per_cycle", of all cores: formats of whole words that were
/// not timed have float32's.
std::optional<double> bytes_of_cores(const Device& device, const Framework& framework, const Op& op,
                                     Dtype dtype) {
  const auto of = [&](Dtype format) {
    const std::string stem = std::string(op.name) + "." + std::string(name(format));
    return find_scoped(device, framework, "row", stem + ".bytes_per_cycle");
  };
  const Number* each = of(dtype);
  if (!each && size_bytes(dtype) > 2) each = of(Dtype::Float32);
  const std::optional<double> cycles_per_s = core_cycles_per_s(device);
  if (!each || !cycles_per_s) return std::nullopt;
  return each->value * *cycles_per_s;
}

/// Of "access.<scope>.<op>."; true where the framework has any.
bool look_up_access(const Device& device, const Framework& framework, const Op& op,
                    AccessUnit& unit) {
  bool any = false;
  const auto look_up = [&](const char* key) {
    const Number* found =
        find_scoped(device, framework, "access", std::string(op.name) + "." + key);
    any = any || found != nullptr;
    return found;
  };
  const auto set = [&](double& value, const char* key) {
    if (const Number* found = look_up(key)) value = found->value;
  };
  set(unit.short_part, "short_part");
  set(unit.strided_part, "strided_part");
  set(unit.few_tiles_part, "few_tiles_part");
  set(unit.result_passes, "result_passes");
  set(unit.long_passes, "long_passes");
  set(unit.long_side_part, "long_side_part");
  set(unit.thin_part, "thin_part");
  set(unit.exposed_part, "exposed_part");
  set(unit.place_bytes, "place_bytes");
  set(unit.same_row_s, "same_row_s");
  set(unit.far_part, "far_part");
  if (const Number* start = look_up("start_s")) {
    unit.start_s = start->value;
    unit.start_error = start->relative_error;
  }
  set(unit.narrow_part, "narrow_part");
  const Number* elements = look_up("elements_per_cycle");
  const Number* cycles = look_up("row_cycles");
  if (const Number* row = look_up("least_row")) unit.least_row = at_least_one(row->value);
  if (const Number* cores = find(device.numbers, "compute.cores")) {
    unit.cores = at_least_one(cores->value);
  }
  const Number* clock = find(device.numbers, "compute.clock_hz");
  if (clock && unit.cores > 0) {  // groups that share an axis are as many as cores have room for
    set(unit.step_s, "step_cycles");
    set(unit.shared_step_s, "shared_step_cycles");
    unit.step_s /= clock->value;
    unit.shared_step_s /= clock->value;
  }
  if (const std::optional<double> cycles_per_s = core_cycles_per_s(device)) {
    if (elements) unit.elements_per_s = elements->value * *cycles_per_s;
    if (const Number* across = look_up("across_elements_per_cycle")) {
      unit.across_elements_per_s = across->value * *cycles_per_s;
    }
    if (cycles) unit.rows_per_s = *cycles_per_s / cycles->value;
  }
  return any;
}

}  // namespace

const Number* find(const Numbers& numbers, const std::string& key) {
  const auto found = numbers.find(key);
  return found == numbers.end() ? nullptr : &found->second;
}

const Number* find_scoped(const Device& device, const Framework& framework,
                          const std::string& table, const std::string& key) {
  for (const std::string& scope : scopes(device)) {
    const std::string place = table + "." + scope + "." + key;
    if (const Number* number = find(framework.numbers, place)) return number;
  }
  return find(framework.numbers, table + "." + key);
}

double memory_bytes_per_s(const Device& device) {
  return find_number(device.numbers, device.id, {"memory.bandwidth_bytes_per_s"}).value;
}

std::optional<double> core_cycles_per_s(const Device& device) {
  const Number* cores = find(device.numbers, "compute.cores");
  const Number* clock = find(device.numbers, "compute.clock_hz");
  if (!cores || !clock) return std::nullopt;
  return cores->value * clock->value;
}

std::optional<ProductRate> product_rate(const Device& device, const Framework& framework,
                                        Dtype dtype) {
  const Number* peak = find(device.numbers, peak_key("matrix", dtype));
  const Number* cores = find(device.numbers, "compute.cores");
  const Constants constants(device, framework, "product", std::string(name(dtype)) + ".");
  const Number* reach = constants.look_up("reach");
  if (!peak || !cores || !reach) return std::nullopt;
  ProductRate rate;
  rate.unit.peak_flops_per_s = peak->value;
  rate.unit.bytes_per_s = memory_bytes_per_s(device) * constants.value("bandwidth");
  rate.unit.cores = int(at_least_one(cores->value));
  rate.unit.element_bytes = double(size_bytes(dtype));
  rate.unit.reach = reach->value;
  rate.unit.strength = core_strength(device, framework, dtype);
  rate.unit.tile_loss = constants.value("tile_loss");
  rate.unit.depth_loss = constants.value("depth_loss");
  rate.unit.start_s = constants.value("start_s");
  rate.unit.split_s = constants.value("split_s");
  rate.unit.unaligned = constants.value("unaligned");
  const Number* result = constants.look_up("unaligned_result");
  rate.unit.unaligned_result = result ? result->value : rate.unit.unaligned;
  if (const Number* words = constants.look_up("unaligned_words")) {
    rate.unit.unaligned_words = words->value;
  }
  rate.unit.turned = constants.value("turned");
  const Number* one = constants.look_up("turned_one");
  rate.unit.turned_one = one ? one->value : rate.unit.turned;
  if (const Number* biased = constants.look_up("biased")) rate.unit.biased = biased->value;
  rate.relative_error = peak->relative_error + reach->relative_error;
  return rate;
}

ByDirection<AttentionRate> attention_rates(const Device& device, const Framework& framework,
                                           Dtype dtype) {
  return {attention_rate(device, framework, dtype, kDirections[0]),
          attention_rate(device, framework, dtype, kDirections[1])};
}

std::optional<SumErrors> sum_errors(const Device& device, const Framework& framework) {
  const Constants constants(device, framework, "interval", "");
  if (!constants.look_up("other_part")) return std::nullopt;
  SumErrors errors;
  errors.other = constants.value("other_part");
  errors.host = constants.value("host_part");
  for (int i = 0; i < kDtypeCount; ++i) {
    const std::string dtype(name(static_cast<Dtype>(i)));
    const auto part = [&](const char* kind) {
      const Number* number = constants.look_up(dtype + "." + kind + "_part");
      return number ? number->value : errors.other;
    };
    errors.product[std::size_t(i)] = part("product");
    errors.attention[std::size_t(i)] = part("attention");
    errors.convolution[std::size_t(i)] = part("convolution");
  }
  return errors;
}

PassCosts pass_costs(const Device& device, const Framework& framework) {
  PassCosts costs;
  for (int i = 0; i < kPhaseCount; ++i) {
    const std::string key = std::string(name(static_cast<Phase>(i))) + ".pass_s";
    const Number* begin = find_scoped(device, framework, "issue", key);
    if (begin) costs.begin_s[std::size_t(i)] = begin->value;
  }
  const Number* decoder = find_scoped(device, framework, "issue", "forward.decoder_s");
  if (decoder) costs.decoder_s = decoder->value;
  return costs;
}

AgainCosts again_costs(const Device& device, const Framework& framework) {
  AgainCosts costs;
  if (const Number* block = find_scoped(device, framework, "issue", "again.block_s")) {
    costs.block_s = block->value;
  }
  if (const Number* call = find_scoped(device, framework, "issue", "again.call_s")) {
    costs.call_s = call->value;
  }
  return costs;
}

double across_elements_per_s(const Device& device, const Framework& framework) {
  const Number* each = find_scoped(device, framework, "access", "across.elements_per_cycle");
  const std::optional<double> cycles_per_s = core_cycles_per_s(device);
  return each && cycles_per_s ? each->value * *cycles_per_s : 0.0;
}

ByOp<OpFacts> op_facts(const Device& device, const Framework& framework) {
  ByOp<OpFacts> found;
  for (const Op* op : all_ops()) {
    OpFacts facts;
    bool any = false;
    for (int i = 0; i < kPhaseCount; ++i) {
      auto& issue_s = facts.issue_s[std::size_t(i)];
      issue_s = issues_s(device, framework, *op, static_cast<Phase>(i));
      any = any || issue_s.front();
    }
    for (int i = 0; i < kDtypeCount; ++i) {
      auto& rate = facts.row_elements_per_s[std::size_t(i)];
      rate = row_rate(device, framework, *op, static_cast<Dtype>(i));
      auto& together = facts.cores_bytes_per_s[std::size_t(i)];
      together = bytes_of_cores(device, framework, *op, static_cast<Dtype>(i));
      any = any || rate || together;
    }
    any = look_up_access(device, framework, *op, facts.access) || any;
    if (any) found[*op] = facts;
  }
  return found;
}

}  // namespace siliconprof
