#pragma once

// Rates of kernels that were measured on a device under a framework (sp.calibrate), looked up once.

#include <array>
#include <map>
#include <string_view>

#include "siliconprof/devices/device.h"
#include "siliconprof/devices/kernel_work.h"

namespace siliconprof {

/// Seconds for each unit of work; 0 for work that the kernel's time doesn't show.
struct KernelRate {
  std::string_view kernel;  // of kernel_names()
  std::array<double, kWorkCount> seconds_per_unit{};
  double relative_error = 0.0;

  double at(Work work) const { return seconds_per_unit[static_cast<std::size_t>(work)]; }
  double& at(Work work) { return seconds_per_unit[static_cast<std::size_t>(work)]; }
  /// Whether calls larger than the cache, or smaller ones, were measured; what wasn't goes as what
  /// was.
  bool knows_large() const;
  bool knows_near() const;
  /// Seconds of each kind of work; their sum is the kernel's time.
  std::array<double, kWorkCount> times_s(const WorkAmounts& amounts) const;
};

/// By kernel name, then dtype. Empty for a device that nobody calibrated under the framework.
class KernelRates {
 public:
  KernelRates() = default;
  /// From "kernel.<framework>.<kernel>.<dtype>.<work key>".
  KernelRates(const Device& device, std::string_view framework);
  /// And of ops that were not measured, what the framework says of each beside one that was:
  /// "stand_in.<scope>.<op>.<kernel>", times as long by the byte in cache; no byte comes from
  /// beyond it sooner than the quickest stream's.
  KernelRates(const Device& device, const Framework& framework);

  /// Products, with vectors too, convolutions and attention of `matrix`, every other kernel of
  /// `others`.
  static KernelRates joined(const KernelRates& matrix, const KernelRates& others);

  bool empty() const { return rates_.empty(); }
  /// The kernel's own, or else its class's; null where neither was measured in the call's dtype.
  const KernelRate* find(const OpCall& call) const;

 private:
  std::map<std::pair<std::string_view, Dtype>, KernelRate> rates_;
};

}  // namespace siliconprof
