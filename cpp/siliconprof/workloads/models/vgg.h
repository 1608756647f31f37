#pragma once

#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// VGG-16: thirteen 3×3 convolutions with biases in five stages, with norm 1 a batch norm behind
/// each; three linear layers; mean cross-entropy of "images" (batch, image, image, 3) against
/// "labels". `image` is a multiple of 224. Sizes: batch, image, classes, channels (of the first
/// stage), hidden, norm.
/// Source: K. Simonyan and A. Zisserman, "Very Deep Convolutional Networks for Large-Scale Image
/// Recognition", arXiv 1409.1556; parameters as in torchvision.
Trace vgg16(const ForwardConfig& config);

}  // namespace siliconprof
