#include "siliconprof/devices/rates.h"

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

std::array<std::string, 3> scopes(const Device& device) {
  return {device.family, device.vendor, "any"};
}

const Number* find(const Numbers& numbers, const std::string& key) {
  const auto found = numbers.find(key);
  return found == numbers.end() ? nullptr : &found->second;
}

const Number* find_launch(const Device& device, const Framework& framework,
                          const std::string& key) {
  for (const std::string& scope : {device.family + ".", device.vendor + ".", std::string()}) {
    if (const Number* number = find(framework.numbers, "launch." + scope + key)) return number;
  }
  return nullptr;
}

// Errors of independent factors, added: the wide side of honest.
Rate product(const Number& peak, const Number& efficiency) {
  return {peak.value * efficiency.value, peak.relative_error + efficiency.relative_error};
}

const Number& compute_efficiency(const Device& device, const Framework& framework,
                                 std::string_view op_class, Dtype dtype) {
  const std::string stem = std::string(op_class) + ".compute.";
  for (const std::string& scope : scopes(device)) {
    for (const std::string& format : {std::string(name(dtype)), std::string("any")}) {
      if (const Number* number =
              find(framework.numbers, "efficiency." + scope + "." + stem + format))
        return *number;
    }
  }
  return efficiency(device, framework, stem + std::string(name(dtype)));  // throws, naming the keys
}

/// True when the framework has an efficiency of the class at any scope of the device.
bool has_efficiencies(const Device& device, const Framework& framework, OpClass op_class) {
  for (const std::string& scope : scopes(device)) {
    if (find(framework.numbers,
             "efficiency." + scope + "." + std::string(name(op_class)) + ".bandwidth")) {
      return true;
    }
  }
  return false;
}

ClassRates class_rates(const Device& device, const Framework& framework, OpClass op_class) {
  ClassRates rates;
  const std::string_view class_name =
      name(has_efficiencies(device, framework, op_class) ? op_class : stand_in(op_class));
  for (int i = 0; i < kDtypeCount; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    const Number* matrix = find(device.numbers, peak_key("matrix", dtype));
    const Number* vector = find(device.numbers, peak_key("vector", dtype));
    if (!matrix && !vector) continue;
    const Number& reached = compute_efficiency(device, framework, class_name, dtype);
    // A device without a matrix unit for the dtype multiplies on its vector unit, and one whose
    // data sheet names no vector rate for a 16-bit dtype computes at float32's.
    if (!vector) vector = find(device.numbers, peak_key("vector", Dtype::Float32));
    rates.matrix[std::size_t(i)] = product(matrix ? *matrix : *vector, reached);
    if (vector) rates.vector[std::size_t(i)] = product(*vector, reached);
  }
  rates.bandwidth =
      product(find_number(device.numbers, device.id, {"memory.bandwidth_bytes_per_s"}),
              efficiency(device, framework, std::string(class_name) + ".bandwidth"));
  return rates;
}

/// The framework's "product.<scope>.<dtype>.<key>" by family, then vendor; null where neither has
/// it.
const Number* find_product(const Device& device, const Framework& framework, Dtype dtype,
                           const std::string& key) {
  for (const std::string& scope : {device.family, device.vendor}) {
    const std::string stem = "product." + scope + "." + std::string(name(dtype)) + ".";
    if (const Number* number = find(framework.numbers, stem + key)) return number;
  }
  return nullptr;
}

std::optional<ProductRate> product_rate(const Device& device, const Framework& framework,
                                        Dtype dtype) {
  const Number* peak = find(device.numbers, peak_key("matrix", dtype));
  const Number* cores = find(device.numbers, "compute.cores");
  const Number* reach = find_product(device, framework, dtype, "reach");
  if (!peak || !cores || !reach) return std::nullopt;
  const auto value = [&](const char* key) {
    const Number* number = find_product(device, framework, dtype, key);
    if (number) return number->value;
    throw DeviceError("[" + framework.id + "] product." + device.vendor + "." +
                      std::string(name(dtype)) + "." + key +
                      " is missing; needed: beside reach, every constant of a product");
  };
  ProductRate rate;
  rate.unit.peak_flops_per_s = peak->value;
  rate.unit.bytes_per_s =
      find_number(device.numbers, device.id, {"memory.bandwidth_bytes_per_s"}).value *
      value("bandwidth");
  rate.unit.cores = int(cores->value);
  rate.unit.element_bytes = double(size_bytes(dtype));
  rate.unit.reach = reach->value;
  rate.unit.tile_loss = value("tile_loss");
  rate.unit.depth_loss = value("depth_loss");
  rate.unit.start_s = value("start_s");
  rate.unit.split_s = value("split_s");
  rate.unit.unaligned = value("unaligned");
  rate.unit.turned = value("turned");
  rate.relative_error = peak->relative_error + reach->relative_error;
  return rate;
}

}  // namespace

const Number& efficiency(const Device& device, const Framework& framework, const std::string& key) {
  const auto [family, vendor, any] = scopes(device);
  return find_number(framework.numbers, framework.id,
                     {"efficiency." + family + "." + key, "efficiency." + vendor + "." + key,
                      "efficiency." + any + "." + key});
}

Rates look_up_rates(const Device& device, const Framework& framework) {
  Rates rates;
  find_number(device.numbers, device.id, {peak_key("vector", Dtype::Float32)});
  for (int i = 0; i < kOpClassCount; ++i) {
    rates.by_class[std::size_t(i)] = class_rates(device, framework, static_cast<OpClass>(i));
  }
  for (int i = 0; i < kDtypeCount; ++i) {
    rates.products[std::size_t(i)] = product_rate(device, framework, static_cast<Dtype>(i));
  }
  const Number& dispatch = launch(device, framework, "dispatch_s");
  // Metal collects kernels in command buffers: each kernel bears its share of one.
  const Number* buffer = find_launch(device, framework, "command_buffer_s");
  const Number* kernels = find_launch(device, framework, "ops_per_command_buffer");
  const double buffer_share_s = buffer && kernels ? buffer->value / kernels->value : 0.0;
  rates.launch_s = dispatch.value + buffer_share_s;
  rates.launch_relative_error = dispatch.relative_error;
  return rates;
}

const Number& launch(const Device& device, const Framework& framework, const std::string& key) {
  if (const Number* number = find_launch(device, framework, key)) return *number;
  return find_number(framework.numbers, framework.id, {"launch." + key});  // throws, naming the key
}

}  // namespace siliconprof
