#include <algorithm>

#include "siliconprof/devices/constants.h"

namespace siliconprof {
namespace {

/// Of kernels that stage windows, or write them out; `unit` has what both have.
StagedUnit staged_unit(const ConvolutionUnit& unit, double peak, const Constants& constants) {
  StagedUnit staged;
  staged.flops_per_s = unit.flops_per_s;
  staged.bytes_per_s = unit.bytes_per_s;
  const Number* index = constants.look_up("index_part");
  const double index_flops_per_s = (index ? index->value : 1.0) * peak;
  staged.staged_elements_per_s = constants.value("staged_per_flop") * index_flops_per_s;
  staged.few_part = constants.value("few_part");
  if (constants.look_up("unfolds_all")) staged.writes_out = WritesOut::All;
  if (constants.look_up("unfolds")) staged.writes_out = WritesOut::Unfit;
  if (staged.writes_out == WritesOut::None) return staged;
  staged.written_elements_per_s = constants.value("unfolded_per_flop") * index_flops_per_s;
  staged.two_axes_part = constants.value("two_axes_part");
  return staged;
}

/// Of tiles of the convolution's own. `timed`: the format that the constants are of; what is staged
/// or written out goes by its peak, products by that of `dtype`.
std::optional<ConvolutionRate> tiled_rate(const Device& device, Dtype dtype, Dtype timed,
                                          const Constants& constants) {
  const Number* peak = find(device.numbers, peak_key("matrix", dtype));
  const Number* index_peak = find(device.numbers, peak_key("matrix", timed));
  if (!peak || !index_peak) return std::nullopt;
  const double bandwidth = memory_bytes_per_s(device);
  ConvolutionRate rate;
  rate.is_least = dtype != timed;
  rate.unit.start_s = constants.value("start_s");
  rate.unit.flops_per_s = constants.value("reach") * peak->value;
  rate.unit.bytes_per_s = constants.value("bandwidth") * bandwidth;
  rate.relative_error = peak->relative_error + constants.number("reach").relative_error;
  if (constants.look_up("staged_per_flop")) {
    rate.unit.staged = staged_unit(rate.unit, index_peak->value, constants);
    return rate;
  }
  rate.unit.outputs_tile = at_least_one(constants.value("outputs_tile"));
  rate.unit.channels_tile = at_least_one(constants.value("channels_tile"));
  const Number* of_one_axis = constants.look_up("row_outputs_tile");
  rate.unit.row_outputs_tile =
      of_one_axis ? at_least_one(of_one_axis->value) : rate.unit.outputs_tile;
  if (const Number* copy = constants.look_up("copy")) {
    rate.unit.copy_bytes_per_s = copy->value * bandwidth;
  }
  if (const Number* elements = constants.look_up("unfolded_per_flop")) {
    rate.unit.unfolded_elements_per_s = elements->value * index_peak->value;
  }
  return rate;
}

/// Cut images first: those that others take whole are among them.
std::array<FourierWay, 4> fourier_ways(const Constants& constants) {
  std::array<FourierWay, 4> ways{
      {{.tile = 32, .cuts = true}, {.tile = 16}, {.tile = 32}, {.tile = 64}}};
  for (FourierWay& way : ways) {
    const std::string stem =
        "fourier_" + (way.cuts ? std::string("cut") : std::to_string(way.tile)) + ".";
    if (!constants.look_up(stem + "work")) {
      way.tile = 0;
      continue;
    }
    way.work = constants.value(stem + "work");
    way.elements = constants.value(stem + "elements");
    way.most_elements = constants.value(stem + "most_elements");
    way.side = constants.value(stem + "side");
    way.most_side = constants.value(stem + "most_side");
    way.channels = constants.value(stem + "channels");
    way.most_channels = constants.value(stem + "most_channels");
    if (const Number* images = constants.look_up(stem + "images")) way.images = images->value;
  }
  return ways;
}

/// At which channels are put last and back; 0: never. Cores that have to turn them keep up with so
/// many bytes in a cycle, and with no more than the memory: with that where nobody said how many
/// cores there are.
double copied_bytes_per_s(const Device& device, const Constants& constants) {
  constexpr double kMostOfMemory = 0.92;  // the quickest streams of an H200 (record h200_ops)
  const double bandwidth = memory_bytes_per_s(device);
  if (const Number* each = constants.look_up("copy_bytes_per_cycle")) {
    const std::optional<double> cycles_per_s = core_cycles_per_s(device);
    const double most = kMostOfMemory * bandwidth;
    return cycles_per_s ? std::min(each->value * *cycles_per_s, most) : most;
  }
  const Number* copy = constants.look_up("copy");
  return copy ? copy->value * bandwidth : 0.0;
}

std::optional<ConvolutionRate> convolution_rate(const Device& device, const Framework& framework,
                                                Dtype dtype, std::string_view direction) {
  const auto of = [&](Dtype format) {
    return Constants(device, framework, "convolution",
                     std::string(name(format)) + "." + std::string(direction) + ".");
  };
  const Constants constants = of(dtype);
  if (constants.look_up("reach")) return tiled_rate(device, dtype, dtype, constants);
  if (!constants.look_up("work")) {
    // Of 16 bits that nobody timed: the kernels are float32's, and index and stage as much.
    const Constants single = of(Dtype::Float32);
    if (size_bytes(dtype) != 2 || !single.look_up("reach")) return std::nullopt;
    return tiled_rate(device, dtype, Dtype::Float32, single);
  }
  ConvolutionRate rate;
  rate.unit.work = constants.value("work");
  if (const Number* strided = constants.look_up("strided")) rate.unit.strided = strided->value;
  rate.unit.start_s = constants.value("start_s");
  rate.unit.fourier = fourier_ways(constants);
  if (const Number* tile = constants.look_up("columns_tile")) {
    rate.unit.columns_tile = at_least_one(tile->value);
  }
  if (const Number* winograd = constants.look_up("winograd")) rate.unit.winograd = winograd->value;
  const bool transforms =
      rate.unit.winograd > 0.0 ||
      std::ranges::any_of(rate.unit.fourier, [](const FourierWay& way) { return way.tile > 0; });
  if (transforms) {
    rate.unit.transform_bytes_per_s = constants.value("transforms") * memory_bytes_per_s(device);
  }
  if (const Number* pointwise = constants.look_up("pointwise")) {
    rate.unit.pointwise = pointwise->value;
  }
  rate.unit.copy_bytes_per_s = copied_bytes_per_s(device, constants);
  rate.relative_error = constants.number("work").relative_error;
  return rate;
}

}  // namespace

ConvolutionRates convolution_rates(const Device& device, const Framework& framework, Dtype dtype) {
  ConvolutionRates rates{convolution_rate(device, framework, dtype, "forward"),
                         convolution_rate(device, framework, dtype, "backward"),
                         convolution_rate(device, framework, dtype, "weight")};
  // Gradients' own stand before what another format's weights take at least.
  const bool others = rates[2] && rates[2]->is_least && rates[1] && !rates[1]->is_least;
  if (!rates[2] || others) rates[2] = rates[1];
  return rates;
}

}  // namespace siliconprof
