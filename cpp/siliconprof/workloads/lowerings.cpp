#include "siliconprof/workloads/lowerings.h"

#include <array>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

struct Entry {
  std::string_view framework;
  Lowering traits;
};

constexpr Lowering kTorchCuda{.fused_groups = false,
                              .copied_heads = true,
                              .scaled_sum = false,
                              .bias_activation = BiasActivation::Apart,
                              .fused_optimizer = true,
                              .fused_norms = true,
                              .in_place = false,
                              .reads_mixed = true,
                              .keeps_layout = true,
                              .saves_memory = false};

// By a compiler: what goes over the same elements runs in one kernel.
constexpr Lowering compiled(Lowering lowering) {
  lowering.keeps_layout = false;
  lowering.joins_kernels = true;
  return lowering;
}

// native: this library. torch: scaled_dot_product_attention is fused on CUDA and on the CPU, not in
// the training path of MPS (at::_scaled_dot_product_attention_math, whose softmax since 2.5 is
// at::_safe_softmax), nor on CUDA outside 16 bits where a head of keys serves several of queries
// (enable_gqa, which transformers asks for); addmm takes the bias along; y + 2 * z, as adapters add
// what they make, is two calls, as it is to MLX; AdamW and clipping are a few launches over
// all tensors (foreach) on CUDA and one loop for each tensor elsewhere; some models (catalogue.h)
// copy what cuDNN's attention, that of 16 bits on CUDA, reads and makes; every result is a tensor
// of its own. MLX: scaled_dot_product_attention had no fused gradient, so training materialises;
// its compiled form joins element-wise chains.
constexpr std::array kEntries{
    Entry{"native", {}},
    Entry{"torch-cpu",
          {.scaled_sum = false,
           .bias_activation = BiasActivation::Apart,
           .in_place = false,
           .saves_memory = false}},
    Entry{"torch-cuda", kTorchCuda},
    Entry{"torch-cuda@compile", compiled(kTorchCuda)},
    Entry{"torch-cuda@reduce-overhead", compiled(kTorchCuda)},
    Entry{"torch-mps",
          {.fused_attention = false,
           .torch_attention = true,
           .scaled_sum = false,
           .bias_activation = BiasActivation::Apart,
           .in_place = false,
           .saves_memory = false}},
    Entry{"mlx",
          {.fused_attention = false,
           .scaled_sum = false,
           .bias_activation = BiasActivation::Apart,
           .saves_memory = false}},
    Entry{"mlx-compile",
          {.fused_attention = false,
           .bias_activation = BiasActivation::Joined,
           .fused_optimizer = true,
           .saves_memory = false}},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kEntries.size()> names{};
  for (std::size_t i = 0; i < kEntries.size(); ++i) names[i] = kEntries[i].framework;
  return names;
}();

}  // namespace

std::span<const std::string_view> lowering_names() { return kNames; }

const Lowering& find_lowering(std::string_view framework) {
  for (const Entry& entry : kEntries) {
    if (entry.framework == framework) return entry.traits;
  }
  throw_unknown_name("lower", "framework", framework, kNames);
}

}  // namespace siliconprof
