#include "siliconprof/workloads/models/resnet.h"

#include "siliconprof/workloads/models/images.h"

namespace siliconprof {
namespace {

constexpr double kTemperature = 0.5;

Images unit(Builder& b, const std::string& name, const std::string& number, const Images& x,
            std::int64_t outputs, SlidingWindow window) {
  const Images y = convolve(b, name + ".conv" + number, x, outputs, window);
  return batch_norm(b, name + ".bn" + number, y);
}

/// Two or three convolutions beside a short cut, which is one too where the sizes differ.
Images block(Builder& b, const std::string& name, const Images& x, std::int64_t channels,
             std::int64_t stride, bool bottleneck) {
  b.section(name + ".convolutions");
  const std::int64_t outputs = bottleneck ? 4 * channels : channels;
  Images y = x;
  if (bottleneck) {
    y = relu(b, unit(b, name, "1", y, channels, {1}));
    y = relu(b, unit(b, name, "2", y, channels, {3, stride, 1}));
    y = unit(b, name, "3", y, outputs, {1});
  } else {
    y = relu(b, unit(b, name, "1", y, channels, {3, stride, 1}));
    y = unit(b, name, "2", y, outputs, {3, 1, 1});
  }
  b.section(name + ".sum");
  Images same = x;
  if (stride != 1 || x.channels != outputs) {
    const Images fitted = convolve(b, name + ".downsample.0", x, outputs, {1, stride});
    same = batch_norm(b, name + ".downsample.1", fitted);
  }
  y.id = plus(b, y.id, same.id);
  return relu(b, y);
}

/// A row of features for each image.
Images features(Builder& b, const ForwardConfig& config, std::int64_t batch) {
  const bool small = config.at("small", 0, 1, "a switch") == 1;
  const bool bottleneck = config.at("bottleneck", 0, 1, "a switch") == 1;
  const std::int64_t channels = config.at("channels", 1, kNoLimit, "");
  b.section("stem");
  Images x = image_input(b, batch, config.at("image", 1, kNoLimit, ""));
  x = convolve(b, "conv1", x, channels, small ? SlidingWindow{3, 1, 1} : SlidingWindow{7, 2, 3});
  x = relu(b, batch_norm(b, "bn1", x));
  if (!small) x = max_pool(b, x, {3, 2, 1});
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    const std::string name = "layer" + std::to_string(stage + 1);
    const std::int64_t blocks = config.at("blocks" + std::to_string(stage + 1), 0, kNoLimit, "");
    for (std::int64_t i = 0; i < blocks; ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      x = block(b, name + "." + std::to_string(i), x, channels << stage, stride, bottleneck);
    }
  }
  b.section("head");
  return mean_pool(b, x);
}

/// A layer without bias, for the batch norm behind it has one.
Images project(Builder& b, const std::string& name, const Images& x, std::int64_t outputs) {
  Images y{kNoTensor, x.batch, 1, 1, outputs};
  y.id = product(b, name + ".linear", x.id, x.batch, x.channels, outputs, uniform(x.channels));
  return batch_norm(b, name + ".bn", y);
}

}  // namespace

Trace resnet(const ForwardConfig& config) {
  const std::int64_t batch = config.at("batch", 1, kNoLimit, "");
  const std::int64_t classes = config.at("classes", 1, kNoLimit, "");
  Builder b(config.id, config.dtype);
  const Images x = features(b, config, batch);
  const TensorId logits = linear(b, "fc", x.id, batch, x.channels, classes, uniform(x.channels));
  return std::move(b).finish(label_loss(b, logits, batch, classes));
}

Trace simclr(const ForwardConfig& config) {
  const std::int64_t rows = 2 * config.at("batch", 1, kNoLimit, "");
  const std::int64_t width = config.at("projection", 1, kNoLimit, "");
  Builder b(config.id, config.dtype);
  const Images x = features(b, config, rows);
  const Images hidden = relu(b, project(b, "projection.0", x, x.channels));
  const Images z = project(b, "projection.1", hidden, width);
  const TensorId units = b.call("normalise", {rows, width}, {z.id});
  const TensorId similar = b.call("matmul", {1, rows, width, rows}, {units, units}, {0.0, 1.0});
  const TensorId loss = b.call("nt_xent", {rows}, {similar}, {kTemperature});
  return std::move(b).finish(loss);
}

}  // namespace siliconprof
