#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// Whisper: an encoder of "mel" (batch, frames, mels) by two convolutions, the second of stride 2,
/// sinusoidal positions (a frozen parameter, which the published counts include) and blocks of
/// attention, a decoder of "tokens" (batch, label_len) with causal and cross attention, its
/// embedding as head, mean cross-entropy against "targets". Keys have no bias. Sizes: batch,
/// label_len, frames, mels, context, vocab, layers, width, heads. Parameters bear the names of
/// Hugging Face's model; convolutions are stored (out, kernel, in). Source: A. Radford et al.,
/// "Robust Speech Recognition via Large-Scale Weak Supervision", arXiv 2212.04356.
Trace whisper(const ForwardConfig& config);

}  // namespace siliconprof
