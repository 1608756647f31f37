#pragma once

// What a framework's file says of the units that ops run on: constants of products, attention,
// convolutions, and facts of single ops.

#include "siliconprof/devices/rates.h"

namespace siliconprof {

/// Null where there is none.
const Number* find(const Numbers& numbers, const std::string& key);

/// "<table>.<scope>.<key>" in the nearest of the device's scopes that has it, else "<table>.<key>";
/// null where none has.
const Number* find_scoped(const Device& device, const Framework& framework,
                          const std::string& table, const std::string& key);

/// Throws DeviceError where the device doesn't say.
double memory_bytes_per_s(const Device& device);

/// Cycles a second of all of a device's cores; none where it isn't known how many or how fast.
std::optional<double> core_cycles_per_s(const Device& device);

/// Of "product.<scope>.<dtype>."; none where the framework has no reach there or the device lacks
/// a peak or its number of cores. Throws DeviceError for some constants without the others.
std::optional<ProductRate> product_rate(const Device& device, const Framework& framework,
                                        Dtype dtype);

/// Of "attention.<scope>.<dtype>.<direction>.", likewise.
ByDirection<AttentionRate> attention_rates(const Device& device, const Framework& framework,
                                           Dtype dtype);

/// Of "convolution.<scope>.<dtype>.<direction>.": with "reach" in tiles of its own, else as a
/// product; without "copy" there are no copies.
ConvolutionRates convolution_rates(const Device& device, const Framework& framework, Dtype dtype);

/// Of "power.<scope>.", parts of the device's board power; none where either is missing.
std::optional<PowerUnit> power_unit(const Device& device, const Framework& framework);

/// Of "interval.<scope>."; none where the framework has none for the device.
std::optional<SumErrors> sum_errors(const Device& device, const Framework& framework);

/// Of "issue.<scope>.<phase>.pass_s" and "issue.<scope>.forward.decoder_s"; 0 where there is none.
PassCosts pass_costs(const Device& device, const Framework& framework);
/// Of "issue.<scope>.again.block_s" and "again.call_s"; 0 where there is none.
AgainCosts again_costs(const Device& device, const Framework& framework);

/// Of "access.<scope>.across.elements_per_cycle", all cores'; 0 where the framework says nothing.
double across_elements_per_s(const Device& device, const Framework& framework);

/// Of "issue.<scope>.<phase>.<op>_s" and "<op>.<dtype>_s", "row.<scope>.<op>.elements_per_s" and
/// "access.<scope>.<op>.".
ByOp<OpFacts> op_facts(const Device& device, const Framework& framework);

}  // namespace siliconprof
