#include "siliconprof/workloads/models/vgg.h"

#include <array>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/models/images.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kPooled = 7;  // places on a side that the classifier sees
constexpr std::int64_t kImage = 32 * kPooled;

struct Stage {
  int convolutions;
  int times;  // channels over those of the first stage
};
constexpr std::array<Stage, 5> kStages{{{2, 1}, {2, 2}, {3, 4}, {3, 8}, {3, 8}}};

Images convolution(Builder& b, const std::string& name, const Images& x, std::int64_t outputs,
                   bool norm) {
  Images y = convolve(b, name, x, outputs, {3, 1, 1});
  const TensorId bias = b.parameter(name + ".bias", {outputs}, constant(0.0));
  y.id = b.call(norm ? "bias" : "bias_relu", {y.places(), outputs}, {y.id, bias});
  return norm ? relu(b, batch_norm(b, name + ".norm", y)) : y;
}

}  // namespace

Trace vgg16(const ForwardConfig& config) {
  const std::int64_t batch = config.at("batch", 1, kNoLimit, "");
  const std::int64_t image = config.at("image", 1, kNoLimit, "");
  const std::int64_t classes = config.at("classes", 1, kNoLimit, "");
  const std::int64_t hidden = config.at("hidden", 1, kNoLimit, "");
  const std::int64_t channels = config.at("channels", 1, kNoLimit, "");
  const bool norm = config.at("norm", 0, 1, "a switch") == 1;
  if (image % kImage != 0) {
    throw ArgumentError("[" + config.id + "] image is " + std::to_string(image) +
                        "; needed: a multiple of 224, as 224");
  }
  Builder b(config.id, config.dtype);
  Dropout dropout(config.dropout);
  b.section("features");
  Images x = image_input(b, batch, image);
  for (std::size_t s = 0; s < kStages.size(); ++s) {
    for (int i = 0; i < kStages[s].convolutions; ++i) {
      const std::string name = "features." + std::to_string(s) + "." + std::to_string(i);
      b.section(name);
      x = convolution(b, name, x, kStages[s].times * channels, norm);
    }
    x = max_pool(b, x, {2, 2});
  }
  b.section("head");
  if (x.height != kPooled) {
    const std::int64_t kernel = x.height / kPooled;
    x.id = b.call("avg_pool2d", {batch, x.height, x.width, x.channels, kernel}, {x.id},
                  {double(kernel), 0.0});
  }
  const std::int64_t flat = kPooled * kPooled * x.channels;
  TensorId y = linear(b, "classifier.0", x.id, batch, flat, hidden, normal(0.01));
  y = activation(b, "relu", y);
  y = dropout(b, y);
  y = linear(b, "classifier.3", y, batch, hidden, hidden, normal(0.01));
  y = activation(b, "relu", y);
  y = dropout(b, y);
  const TensorId logits = linear(b, "classifier.6", y, batch, hidden, classes, normal(0.01));
  return std::move(b).finish(label_loss(b, logits, batch, classes));
}

}  // namespace siliconprof
