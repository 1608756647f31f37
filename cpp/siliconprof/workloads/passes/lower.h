#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Where a bias that an activation follows is added.
enum class BiasActivation : std::uint8_t { AsBuilt, Joined, Apart };

/// What a framework fuses, materialises and launches. The defaults, this library's own kernels,
/// change nothing.
struct Lowering {
  bool fused_attention = true;   // else transposes, scores, mask, softmax and values, all in memory
  bool torch_attention = false;  // materialised attention as PyTorch's
  bool fused_groups = true;      // also where a head of keys serves several of queries
  bool copied_heads = false;     // attention has copies of what it reads and makes
  bool bias_in_product = true;   // else a linear layer is a product and a bias
  bool scaled_sum = true;        // else a sum with something scaled is a scale and an add
  BiasActivation bias_activation = BiasActivation::AsBuilt;
  bool fused_optimizer = false;  // one launch updates all parameters
  bool fused_norms = false;      // one launch sums the squares of all gradients
  bool in_place = true;          // an op may write over an input that nothing uses afterwards
  bool reads_mixed = false;      // a sum reads operands of another format as they are
  bool keeps_layout = false;     // what a convolution makes lies as it made it (lie_across.h)
  bool joins_kernels = false;    // calls that go over the same elements run in one kernel
  bool saves_memory = true;      // the order of calls, and what is kept, that needs least memory

  bool operator==(const Lowering&) const = default;
};

/// A forward trace in the calls that the framework makes of it. What is differentiated later
/// follows by itself. (fused_optimizer, fused_norms, in_place and saves_memory are for
/// who adds the optimizer and the last passes.)
Trace lower(const Trace& forward, const Lowering& traits);

}  // namespace siliconprof
