#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// ResNet: four stages of residual blocks, two 3×3 convolutions each, or with bottleneck 1 three
/// (the stride on the 3×3, as torchvision has it); mean cross-entropy of "images"
/// (batch, image, image, 3) against "labels". With small 1 the form for CIFAR: a first 3×3
/// convolution of stride 1 and no pooling. Batch norms take the statistics of the batch. Sizes:
/// batch, image, classes, channels (of the first stage), bottleneck, small, blocks1 to blocks4.
/// Source: K. He et al., "Deep Residual Learning for Image Recognition", arXiv 1512.03385.
Trace resnet(const ForwardConfig& config);

/// SimCLR on a ResNet without its classifier: both views of a batch, one behind the other in
/// "images" (2·batch, image, image, 3), a projection head of two layers with batch norms, unit
/// vectors, and the loss NT-Xent at temperature 0.5. Sizes: batch, image, projection, channels,
/// bottleneck, small, blocks1 to blocks4.
/// Source: T. Chen et al., "A Simple Framework for Contrastive Learning of Visual Representations",
/// arXiv 2002.05709; head as in lightly's SimCLRProjectionHead.
Trace simclr(const ForwardConfig& config);

}  // namespace siliconprof
