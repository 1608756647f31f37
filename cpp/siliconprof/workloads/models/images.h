#pragma once

// What convolutional networks share: images, channels last, that know their sizes.

#include <string>

#include "siliconprof/workloads/models/layers.h"

namespace siliconprof {

struct Images {
  TensorId id;
  std::int64_t batch, height, width, channels;

  std::int64_t places() const { return batch * height * width; }
};

/// The input "images" (batch, size, size, 3).
Images image_input(Builder& b, std::int64_t batch, std::int64_t size);

struct SlidingWindow {
  std::int64_t kernel;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

/// Without bias; weight (outputs, kernel, kernel, channels).
Images convolve(Builder& b, const std::string& name, const Images& x, std::int64_t outputs,
                SlidingWindow window);
Images batch_norm(Builder& b, const std::string& name, const Images& x);
Images relu(Builder& b, const Images& x);
Images max_pool(Builder& b, const Images& x, SlidingWindow window);
/// The mean over all places: one row of channels for each image.
Images mean_pool(Builder& b, const Images& x);

/// The mean cross-entropy of logits (batch, classes) against new int32 "labels" (batch).
TensorId label_loss(Builder& b, TensorId logits, std::int64_t batch, std::int64_t classes);

}  // namespace siliconprof
