#pragma once

// What eager PyTorch asks its allocator for in a training step: the tensors of the trace for as
// long as it holds them, and what it makes besides. Which is when, was read off PyTorch 2.11's
// operations one by one.

#include "siliconprof/devices/requests.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// In the order in which they are made. Beyond the liveness of the trace:
///   parameters' gradients live to the end of the step, but for those that go to a host while the
///   backward pass runs; autocast's casts of trained parameters live to the end of the forward pass
///   at least; optimizer states begin with it in the first; relu works in place where nobody else
///   reads its input; the loss keeps log-probabilities in place of logits, those of 16 bits stay
///   until it is there; its gradient goes through one more copy; gradients of packed attention are
///   joined; dropout keeps its mask (dropout_masks.h), an RMS norm its data before their weights, a
///   gate its silu, as transformers computes them; max pooling's places are of 64 bits; attention
///   of 16 bits reads heads of keys where they lie, not repeated, on CUDA; AdamW (foreach) holds
///   one temporary for each parameter until its end; convolutions by cuDNN take workspaces once
///   they have their results; the products' library has one for the thread of the forward pass, one
///   for the backward's.
///
/// `cuda`: convolutions by cuDNN, masks of bytes, AdamW over all parameters at once; without, as on
/// Apple's GPUs, a parameter's update takes and gives back two temporaries.
Requests eager_requests(const Trace& trace, bool cuda);

}  // namespace siliconprof
