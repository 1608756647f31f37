#include "siliconprof/devices/kernel_rates.h"

#include <algorithm>
#include <string>

namespace siliconprof {
namespace {

bool is_matrix_kernel(std::string_view kernel) {
  return kernel.starts_with("product") || kernel.starts_with("conv") ||
         kernel.starts_with("attention") || kernel == name(OpClass::MatrixProduct);
}

}  // namespace

std::array<double, kWorkCount> KernelRate::times_s(const WorkAmounts& amounts) const {
  std::array<double, kWorkCount> times{};
  for (std::size_t i = 0; i < kWorkCount; ++i) times[i] = amounts[i] * seconds_per_unit[i];
  return times;
}

KernelRates::KernelRates(const Device& device, std::string_view framework) {
  // A version of a framework, "torch-cpu@2.2", has the kernels of the framework.
  const auto id = framework.substr(0, framework.find('@'));
  const std::string prefix = "kernel." + std::string(id) + ".";
  const auto first = device.numbers.lower_bound(prefix);
  if (first == device.numbers.end() || !first->first.starts_with(prefix)) return;
  for (const std::string_view kernel : kernel_names()) {
    for (int d = 0; d < kDtypeCount; ++d) {
      const auto dtype = static_cast<Dtype>(d);
      const std::string stem = prefix + std::string(kernel) + "." + std::string(name(dtype)) + ".";
      for (std::size_t i = 0; i < kWorkCount; ++i) {
        const auto found = device.numbers.find(stem + std::string(work_keys()[i]));
        if (found == device.numbers.end()) continue;
        const Number& number = found->second;
        KernelRate& rate = rates_[{kernel, dtype}];
        rate.kernel = kernel;
        rate.seconds_per_unit[i] = i == 0 ? number.value : 1.0 / number.value;
        rate.relative_error = std::max(rate.relative_error, number.relative_error);
      }
    }
  }
}

KernelRates KernelRates::joined(const KernelRates& matrix, const KernelRates& others) {
  KernelRates found;
  for (const bool of_matrix : {true, false}) {
    for (const auto& [key, rate] : (of_matrix ? matrix : others).rates_) {
      if (is_matrix_kernel(key.first) == of_matrix) found.rates_.emplace(key, rate);
    }
  }
  return found;
}

const KernelRate* KernelRates::find(const OpCall& call) const {
  if (rates_.empty()) return nullptr;
  const auto of = [&](std::string_view kernel) -> const KernelRate* {
    const auto found = rates_.find({kernel, call.dtype});
    return found == rates_.end() ? nullptr : &found->second;
  };
  if (const KernelRate* own = of(kernel_name(call))) return own;
  if (const KernelRate* usual = of(usual_kernel_name(call))) return usual;
  // A sort's rates are its comparisons', which its gradient has none of.
  return call.op->op_class == OpClass::Sort ? nullptr : of(name(call.op->op_class));
}

}  // namespace siliconprof
