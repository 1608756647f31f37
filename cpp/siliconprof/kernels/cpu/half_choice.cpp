#include "siliconprof/kernels/cpu/half_choice.h"

#include <algorithm>
#include <optional>

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"

namespace siliconprof::cpu {
namespace {

bool is_amx(const HalfMachine& machine) { return machine.tiles->instruction_set == "amx"; }

/// In bfloat16: every AMD that has dot products makes them at twice float32's rate.
bool beats_float32(const HalfMachine& machine) {
  return is_amx(machine) || (machine.tiles->instruction_set == "avx512_bf16" && cpu_features().amd);
}

std::optional<HalfMachine> best_machine() {
  for (const HalfMachine& machine : runnable_half_machines()) {
    if (beats_float32(machine)) return machine;
  }
  return std::nullopt;
}

/// Measured on an Intel Xeon of family 6, model 207, on 2 and 16 threads.
bool amx_suits(const HalfProduct& p) {
  const std::int64_t products = p.m * p.k * p.n;
  if (p.dtype == Dtype::Float16) {
    // Packing takes longer, and tiles multiply four times: elements must be used often.
    return products >= std::int64_t{1} << 23 && p.m * p.n >= 48 * (p.m + p.n);
  }
  return products >= std::int64_t{1} << 20 && std::max(p.m, p.n) >= 64;
}

/// Panels are full or nothing; float32 takes twice as long, and elements are widened for it.
/// Measured on AMD EPYCs of family 25 and 26.
bool dots_suit(const HalfProduct& p) {
  constexpr std::int64_t kLeastProducts = std::int64_t{1} << 15;
  constexpr std::int64_t kToWiden = 16;  // an element, in products
  const std::int64_t products = p.m * p.k * p.n;
  const std::int64_t in_panels = panel_count(p.m, kPanelLines) * panel_count(p.k, kPanelTerms) *
                                 panel_count(p.n, kPanelLines) * kPanelLines * kPanelTerms *
                                 kPanelLines;
  return p.dtype == Dtype::BFloat16 && products >= kLeastProducts &&
         in_panels <= 2 * products + kToWiden * p.k * (p.m + p.n);
}

}  // namespace

const HalfMachine* half_machine() {
  static const std::optional<HalfMachine> best = best_machine();
  return best ? &*best : nullptr;
}

bool half_tiles_suit(const HalfProduct& p) {
  if (half_machine() == nullptr) return false;
  return is_amx(*half_machine()) ? amx_suits(p) : dots_suit(p);
}

std::string half_product_path(Dtype dtype) {
  const bool has_tiles = half_machine() != nullptr && is_amx(*half_machine());
  if (has_tiles && dtype == Dtype::Float16) return "amx tiles of high and low bfloat16 parts";
  if (has_tiles) return "amx tiles";
  if (half_machine() != nullptr && dtype == Dtype::BFloat16) return "avx512_bf16 dot products";
  return "float32 accumulation after conversion";
}

}  // namespace siliconprof::cpu
