#include "siliconprof/workloads/models/whisper.h"

#include "siliconprof/workloads/models/layers.h"

namespace siliconprof {
namespace {

constexpr double kDeviation = 0.02;

class Whisper {
 public:
  explicit Whisper(const ForwardConfig& config)
      : b_(config.id, config.dtype),
        dropout_(config.dropout),
        batch_(config.at("batch", 1, kNoLimit, "")),
        context_(config.at("context", 1, kNoLimit, "")),
        label_len_(config.at("label_len", 1, context_, "the context of the decoder")),
        frames_(config.at("frames", 2, kNoLimit, "")),
        mels_(config.at("mels", 1, kNoLimit, "")),
        vocab_(config.at("vocab", 1, kNoLimit, "")),
        layers_(config.at("layers", 0, kNoLimit, "")),
        width_(config.at("width", 2, kNoLimit, "")),
        heads_(config.at("heads", 1, kNoLimit, "")) {
    config.check_divides("heads", "width");
  }

  Trace build() && {
    const TensorId heard = encode();
    const TensorId loss = decode(heard);
    return std::move(b_).finish(loss);
  }

 private:
  std::int64_t positions() const { return (frames_ + 1) / 2; }

  TensorId convolve(const std::string& name, TensorId x, std::int64_t length, std::int64_t in,
                    std::int64_t stride) {
    const TensorId weight = b_.parameter(name + ".weight", {width_, 3, in}, uniform(3 * in));
    const TensorId bias = b_.parameter(name + ".bias", {width_}, constant(0.0));
    x = b_.call("conv1d", {batch_, length, in, width_, 3}, {x, weight}, {double(stride), 1.0});
    return b_.call("bias_gelu_erf", {b_.elements(x) / width_, width_}, {x, bias});
  }

  TensorId encode() {
    b_.section("frontend");
    TensorId x = b_.input("mel", {batch_, frames_, mels_});
    x = convolve("encoder.conv1", x, frames_, mels_, 1);
    x = convolve("encoder.conv2", x, frames_, width_, 2);
    const TensorId places = b_.frozen("encoder.embed_positions.weight", {positions(), width_},
                                      {Initial::Kind::Sinusoids, 1.0});
    x = b_.call("bias", {batch_, positions() * width_}, {x, places});
    x = dropout_(b_, x);
    for (std::int64_t i = 0; i < layers_; ++i) {
      const std::string name = "encoder.layers." + std::to_string(i);
      b_.section(name + ".attention");
      x = attend(name, ".self_attn", x, positions(), kNoTensor, positions(), false);
      x = mlp(name, x, positions());
    }
    b_.section("encoder_norm");
    return layer_norm(b_, "encoder.layer_norm", x, batch_ * positions(), width_);
  }

  TensorId decode(TensorId heard) {
    b_.section("embedding");
    const std::int64_t rows = batch_ * label_len_;
    const TensorId tokens = b_.indices("tokens", {batch_, label_len_}, vocab_);
    const TensorId words =
        b_.parameter("decoder.embed_tokens.weight", {vocab_, width_}, normal(kDeviation));
    const TensorId places =
        b_.parameter("decoder.embed_positions.weight", {context_, width_}, normal(kDeviation));
    TensorId x = b_.call("embedding", {vocab_, rows, width_}, {words, tokens});
    x = b_.call("bias", {batch_, label_len_ * width_}, {x, b_.view(places, {label_len_, width_})});
    x = dropout_(b_, x);
    for (std::int64_t i = 0; i < layers_; ++i) {
      const std::string name = "decoder.layers." + std::to_string(i);
      b_.section(name + ".attention");
      x = attend(name, ".self_attn", x, label_len_, kNoTensor, label_len_, true);
      b_.section(name + ".cross_attention");
      x = attend(name, ".encoder_attn", x, label_len_, heard, positions(), false);
      x = mlp(name, x, label_len_);
    }
    b_.section("head");
    x = layer_norm(b_, "decoder.layer_norm", x, rows, width_);
    const TensorId logits = b_.call("matmul", {1, rows, width_, vocab_}, {x, words}, {0.0, 1.0});
    return token_loss(b_, logits, {batch_, label_len_}, vocab_);
  }

  /// x plus its attention to itself, or to `heard`.
  TensorId attend(const std::string& layer, const std::string& which, TensorId x,
                  std::int64_t queries, TensorId heard, std::int64_t keys, bool causal) {
    const Initial weight = normal(kDeviation);
    const std::string name = layer + which;
    const std::int64_t rows = batch_ * queries;
    const TensorId normed = layer_norm(b_, name + "_layer_norm", x, rows, width_);
    const TensorId from = heard == kNoTensor ? normed : heard;
    const TensorId q = linear(b_, name + ".q_proj", normed, rows, width_, width_, weight);
    const TensorId k = product(b_, name + ".k_proj", from, batch_ * keys, width_, width_, weight);
    const TensorId v = linear(b_, name + ".v_proj", from, batch_ * keys, width_, width_, weight);
    const TensorId y = attention(b_, q, k, v, batch_, heads_, queries, keys, width_, causal);
    const TensorId out = linear(b_, name + ".out_proj", y, rows, width_, width_, weight);
    return plus(b_, x, dropout_(b_, out));
  }

  TensorId mlp(const std::string& layer, TensorId x, std::int64_t tokens) {
    const Initial weight = normal(kDeviation);
    const std::int64_t rows = batch_ * tokens;
    b_.section(layer + ".mlp");
    const TensorId normed = layer_norm(b_, layer + ".final_layer_norm", x, rows, width_);
    const TensorId wide = linear(b_, layer + ".fc1", normed, rows, width_, 4 * width_, weight);
    const TensorId bent = activation(b_, "gelu_erf", wide);
    const TensorId narrow = linear(b_, layer + ".fc2", bent, rows, 4 * width_, width_, weight);
    return plus(b_, x, dropout_(b_, narrow));
  }

  Builder b_;
  Dropout dropout_;
  std::int64_t batch_, context_, label_len_, frames_, mels_, vocab_, layers_, width_, heads_;
};

}  // namespace

Trace whisper(const ForwardConfig& config) { return Whisper(config).build(); }

}  // namespace siliconprof
