#include "siliconprof/workloads/models/images.h"

#include <cmath>

namespace siliconprof {
namespace {

/// What a call made of x: its output's shape is (batch, height, width, channels).
Images made(const Builder& b, TensorId id) {
  const Shape& shape = b.shape(id);
  return {id, shape[0], shape[1], shape[2], shape[3]};
}

}  // namespace

Images image_input(Builder& b, std::int64_t batch, std::int64_t size) {
  constexpr std::int64_t kColours = 3;
  return {b.input("images", {batch, size, size, kColours}), batch, size, size, kColours};
}

Images convolve(Builder& b, const std::string& name, const Images& x, std::int64_t outputs,
                SlidingWindow window) {
  const auto [kernel, stride, padding] = window;
  // As torchvision starts ResNet and VGG: He's deviation, by the places that a number goes to.
  const Initial initial = normal(std::sqrt(2.0 / double(kernel * kernel * outputs)));
  const TensorId weight =
      b.parameter(name + ".weight", {outputs, kernel, kernel, x.channels}, initial);
  return made(b, b.call("conv2d", {x.batch, x.height, x.width, x.channels, outputs, kernel, kernel},
                        {x.id, weight}, {double(stride), double(padding)}));
}

Images batch_norm(Builder& b, const std::string& name, const Images& x) {
  const TensorId weight = b.parameter(name + ".weight", {x.channels}, constant(1.0));
  const TensorId bias = b.parameter(name + ".bias", {x.channels}, constant(0.0));
  Images y = x;
  y.id = b.call("batch_norm", {x.places(), x.channels, 1}, {x.id, weight, bias});
  return y;
}

Images relu(Builder& b, const Images& x) {
  Images y = x;
  y.id = activation(b, "relu", x.id);
  return y;
}

Images max_pool(Builder& b, const Images& x, SlidingWindow window) {
  return made(b, b.call("max_pool2d", {x.batch, x.height, x.width, x.channels, window.kernel},
                        {x.id}, {double(window.stride), double(window.padding)}));
}

Images mean_pool(Builder& b, const Images& x) {
  return made(b, b.call("avg_pool2d", {x.batch, x.height, x.width, x.channels, x.height}, {x.id},
                        {double(x.height), 0.0}));
}

TensorId label_loss(Builder& b, TensorId logits, std::int64_t batch, std::int64_t classes) {
  const TensorId labels = b.indices("labels", {batch}, classes);
  return b.call("cross_entropy", {batch, classes}, {logits, labels});
}

}  // namespace siliconprof
