#include "siliconprof/devices/kernel_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "siliconprof/ops/activations.h"
#include "siliconprof/ops/adamw.h"
#include "siliconprof/ops/add.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/matvec.h"

namespace siliconprof {
namespace {

/// Times as long by what is computed of a byte: all of it where calls that a cache holds weren't
/// measured.
void lengthen(KernelRate& rate, double part) {
  double& cached_s = rate.at(Work::Cached);
  double& streamed_s = rate.at(Work::Streamed);
  const double more_s = (part - 1.0) * (rate.knows_near() ? cached_s : streamed_s);
  cached_s *= part;
  if (rate.knows_large()) streamed_s = std::max(streamed_s + more_s, cached_s);
}

// What computes next to nothing: the quickest of these shows what memory allows.
const std::array<const Op*, 4> kBareStreams{&kAdamW, &kAdd, &kCopy, &kRelu};

bool is_bare_stream(std::string_view kernel) {
  return std::any_of(kBareStreams.begin(), kBareStreams.end(),
                     [&](const Op* op) { return op->name == kernel; });
}

/// The least that a byte takes from beyond the cache, and of a call that streams; none where that
/// wasn't measured.
struct MemoryFloor {
  double far_s = std::numeric_limits<double>::infinity();
  double streamed_s = std::numeric_limits<double>::infinity();

  void lower(const KernelRate& stream) {
    if (stream.knows_near()) {
      far_s = std::min(far_s, stream.at(Work::Cached) + stream.at(Work::Memory));
    }
    if (stream.knows_large()) streamed_s = std::min(streamed_s, stream.at(Work::Streamed));
  }
};

/// A kernel that computes for long hides what memory takes, which one that doesn't would show.
void raise_to(const MemoryFloor& floor, KernelRate& rate) {
  if (std::isfinite(floor.far_s) && rate.knows_near()) {
    rate.at(Work::Memory) = std::max(rate.at(Work::Memory), floor.far_s - rate.at(Work::Cached));
  }
  if (std::isfinite(floor.streamed_s) && rate.knows_large()) {
    rate.at(Work::Streamed) = std::max(rate.at(Work::Streamed), floor.streamed_s);
  }
}

KernelRate stand_in(std::string_view op, const KernelRate& kernel, const Number& part,
                    const MemoryFloor& floor) {
  KernelRate rate = kernel;
  rate.kernel = op;
  lengthen(rate, part.value);
  raise_to(floor, rate);
  rate.relative_error = std::hypot(rate.relative_error, part.relative_error);
  return rate;
}

bool is_matrix_kernel(std::string_view kernel) {
  return kernel.starts_with("product") || kernel == kMatvec.name || kernel.starts_with("conv") ||
         kernel.starts_with("attention") || kernel == name(OpClass::MatrixProduct);
}

}  // namespace

bool KernelRate::knows_large() const { return at(Work::Streamed) > 0.0; }

bool KernelRate::knows_near() const { return at(Work::Cached) > 0.0 || at(Work::Memory) > 0.0; }

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

KernelRates::KernelRates(const Device& device, const Framework& framework)
    : KernelRates(device, framework.id) {
  if (rates_.empty()) return;
  const auto measured = rates_;
  std::array<MemoryFloor, kDtypeCount> floors;
  for (const auto& [key, rate] : measured) {
    if (is_bare_stream(key.first)) floors[static_cast<std::size_t>(key.second)].lower(rate);
  }
  for (const std::string& scope : scopes(device)) {
    for (const std::string_view op : kernel_names()) {
      const std::string prefix = "stand_in." + scope + "." + std::string(op) + ".";
      const auto found = framework.numbers.lower_bound(prefix);
      if (found == framework.numbers.end() || !found->first.starts_with(prefix)) continue;
      const std::string_view kernel = std::string_view(found->first).substr(prefix.size());
      for (std::size_t d = 0; d < floors.size(); ++d) {
        const auto dtype = static_cast<Dtype>(d);
        const auto beside = measured.find({kernel, dtype});
        if (beside == measured.end()) continue;
        rates_.try_emplace({op, dtype}, stand_in(op, beside->second, found->second, floors[d]));
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
  if (const KernelRate* thin = of(thin_kernel_name(call))) return thin;
  if (const KernelRate* usual = of(usual_kernel_name(call))) return usual;
  // A sort's rates are its comparisons', which its gradient has none of.
  return call.op->op_class == OpClass::Sort ? nullptr : of(name(call.op->op_class));
}

}  // namespace siliconprof
