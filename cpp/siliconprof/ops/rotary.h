#pragma once

// Rotary positions: the channels i and i + head_dim/2 of each head, as a pair, are turned by the
// angle token·base^(-2·i/head_dim); with inverse 1, back. The layout of Hugging Face's LLaMA, not
// that of neighbouring pairs. x (batch, tokens, heads, head_dim) → y alike, head_dim even. Angles
// are constants: their sines and cosines are no part of the cost.
// Errors: what any op refuses (op.h), an odd head_dim (ShapeError), a base below 1 (ArgumentError).
// Source: J. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding",
// arXiv 2104.09864.

#include "siliconprof/ops/op.h"

namespace siliconprof {

extern const Op kRotary;

}  // namespace siliconprof
