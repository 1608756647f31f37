#include <algorithm>
#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/openblas_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"

namespace siliconprof::cpu {
namespace {

constexpr std::array<const Engine*, 3> kEngines{&kReferenceEngine, &kEigenEngine, &kOpenBlasEngine};

auto kernel_of(const Engine& engine, const Op& op) {
  return std::find_if(engine.kernels.begin(), engine.kernels.end(),
                      [&](const Kernel& kernel) { return kernel.op == op.name; });
}

std::string supported_dtypes(const Engine& engine, const Op& op) {
  std::string text;
  for (const std::string_view candidate : dtype_names()) {
    if (!supports(engine, op, parse_dtype(candidate))) continue;
    text += (text.empty() ? "" : ", ") + std::string(candidate);
  }
  return text;
}

}  // namespace

std::span<const Engine* const> all_engines() { return kEngines; }

std::span<const std::string_view> engine_names() {
  static const auto names = [] {
    std::array<std::string_view, kEngines.size()> found{};
    for (std::size_t i = 0; i < kEngines.size(); ++i) found[i] = kEngines[i]->name;
    return found;
  }();
  return names;
}

const Engine& find_engine(std::string_view name) {
  for (const Engine* engine : kEngines) {
    if (engine->name == name) return *engine;
  }
  throw_unknown_name("engine", "engine", name, engine_names());
}

bool supports(const Engine& engine, const Op& op, Dtype dtype) {
  return kernel_of(engine, op) != engine.kernels.end() && is_cpu_dtype(dtype);
}

const Kernel& find_kernel(const Engine& engine, const OpCall& call) {
  const std::string place = "[" + std::string(engine.name) + "] ";
  const auto kernel = kernel_of(engine, *call.op);
  if (kernel == engine.kernels.end()) {
    std::string known;
    for (const Kernel& k : engine.kernels) known += (known.empty() ? "" : ", ") + std::string(k.op);
    throw ArgumentError(place + "op is " + std::string(call.op->name) + "; needed: one of " +
                        known);
  }
  if (!supports(engine, *call.op, call.dtype)) {
    throw DtypeError(place + "dtype of " + std::string(call.op->name) + " is " +
                     std::string(name(call.dtype)) + "; needed: one of " +
                     supported_dtypes(engine, *call.op));
  }
  const EngineInfo info = engine.info();
  if (!info.available) throw EngineUnavailable(info.reason);
  return *kernel;
}

}  // namespace siliconprof::cpu
