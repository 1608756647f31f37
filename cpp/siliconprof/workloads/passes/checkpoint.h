#pragma once

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// A differentiated trace that keeps, of each block of the forward pass, only what other blocks
/// read of it, and computes the rest again when the backward pass first needs it: the same values
/// for less memory. Blocks are those of the sections' names; calls outside of any are left alone.
/// `keeps_masks`: dropout's gradient reads a mask that its forward call makes, which so is computed
/// again with all that it is made of; else its numbers are drawn again, and it reads nothing.
/// Source: T. Chen et al., "Training Deep Nets with Sublinear Memory Cost", arXiv 1604.06174.
Trace checkpoint(const Trace& trace, bool keeps_masks = false);

}  // namespace siliconprof
