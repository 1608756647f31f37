#pragma once

// Attention of one head in bfloat16 on one thread, as attention_kernels.h has it, with all products
// made by half_tiles.h. Probabilities and slopes of scores are rounded to bfloat16 on their way
// into a product, as PyTorch does; sums are formed in float32 and rounded once.

#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/kernels/cpu/attention_kernels.h"
#include "siliconprof/kernels/cpu/half_product.h"
#include "siliconprof/ops/attention_layout.h"

namespace siliconprof::cpu {

/// Loops of one instruction set for the arithmetic between the products. Heads have `halves`.
struct AttentionHalfLoops {
  std::string_view instruction_set;  // "avx512", "generic"
  AttentionKernels bfloat16;
};

/// True where tiles and dot products that beat float32 (half_choice.h) do so in attention: the
/// whole panels that they multiply hold less than twice what is needed. On an AMD EPYC of family 25
/// and an Intel Xeon with AMX attention then takes 0.35 to 1.0 of its time in float32, else up
/// to 2.3.
bool halves_suit_attention(const AttentionLayout& layout);

/// Floats that they need as scratch, a head's panels first, and for the sums of dk and dv.
std::int64_t attention_half_scratch(std::int64_t keys, std::int64_t head_dim);
std::int64_t attention_half_sums(std::int64_t keys, std::int64_t head_dim);

/// Those that this CPU can run, best first.
std::span<const AttentionHalfLoops* const> runnable_attention_halves();

namespace generic {
extern const AttentionHalfLoops kAttentionHalves;
}
#if defined(__x86_64__)
namespace avx512 {
extern const AttentionHalfLoops kAttentionHalves;
}
#endif

}  // namespace siliconprof::cpu
