#include "siliconprof/workloads/models/llama.h"

#include "siliconprof/workloads/models/layers.h"

namespace siliconprof {
namespace {

constexpr double kEpsilon = 1e-5;

struct Dims {
  std::int64_t batch, seq, width, heads, kv_heads, hidden, rotary_base;
  std::int64_t rows() const { return batch * seq; }
  std::int64_t head_dim() const { return width / heads; }
};

/// Each of the keys' or values' heads once for every query head that it serves.
TensorId repeated(Builder& b, const Dims& d, TensorId x) {
  if (d.heads == d.kv_heads) return x;
  return b.call("broadcast", {d.rows() * d.kv_heads, d.heads / d.kv_heads, d.head_dim()}, {x});
}

TensorId turned(Builder& b, const Dims& d, TensorId x, std::int64_t heads) {
  return b.call("rotary", {d.batch, d.seq, heads, d.head_dim()}, {x}, {double(d.rotary_base)});
}

TensorId block(Builder& b, const Dims& d, const std::string& name, TensorId x) {
  const Initial weight = normal(0.02);
  const std::int64_t rows = d.rows();
  const std::int64_t width = d.width;
  const std::int64_t kv_width = d.kv_heads * d.head_dim();
  b.section(name + ".attention");
  const std::string self = name + ".self_attn.";
  const TensorId normed = rms_norm(b, name + ".input_layernorm", x, rows, width, kEpsilon);
  const TensorId q = product(b, self + "q_proj", normed, rows, width, width, weight);
  const TensorId k = product(b, self + "k_proj", normed, rows, width, kv_width, weight);
  const TensorId v = product(b, self + "v_proj", normed, rows, width, kv_width, weight);
  const TensorId turned_q = turned(b, d, q, d.heads);
  const TensorId turned_k = turned(b, d, k, d.kv_heads);
  const TensorId keys = repeated(b, d, turned_k);
  const TensorId values = repeated(b, d, v);
  const TensorId y =
      attention(b, turned_q, keys, values, d.batch, d.heads, d.seq, d.seq, width, true);
  x = plus(b, x, product(b, self + "o_proj", y, rows, width, width, weight));
  b.section(name + ".mlp");
  const TensorId again = rms_norm(b, name + ".post_attention_layernorm", x, rows, width, kEpsilon);
  const TensorId gate = product(b, name + ".mlp.gate_proj", again, rows, width, d.hidden, weight);
  const TensorId up = product(b, name + ".mlp.up_proj", again, rows, width, d.hidden, weight);
  const TensorId gated = b.call("silu_gate", {rows * d.hidden}, {gate, up});
  return plus(b, x, product(b, name + ".mlp.down_proj", gated, rows, d.hidden, width, weight));
}

}  // namespace

Trace llama(const ForwardConfig& config) {
  const std::int64_t context = config.at("context", 1, kNoLimit, "");
  const std::int64_t vocab = config.at("vocab", 1, kNoLimit, "");
  const Dims d{config.at("batch", 1, kNoLimit, ""),
               config.at("seq", 1, context, "the context of the model"),
               config.at("width", 1, kNoLimit, ""),
               config.at("heads", 1, kNoLimit, ""),
               config.at("kv_heads", 1, kNoLimit, ""),
               config.at("hidden", 1, kNoLimit, ""),
               config.at("rotary_base", 1, kNoLimit, "")};
  config.check_divides("heads", "width");
  config.check_divides("kv_heads", "heads");
  Builder b(config.id, config.dtype);
  b.section("embedding");
  const TensorId tokens = b.indices("tokens", {d.batch, d.seq}, vocab);
  const TensorId words = b.parameter("model.embed_tokens.weight", {vocab, d.width}, normal(0.02));
  TensorId x = b.call("embedding", {vocab, d.rows(), d.width}, {words, tokens});
  const std::int64_t layers = config.at("layers", 0, kNoLimit, "");
  for (std::int64_t i = 0; i < layers; ++i) {
    x = block(b, d, "model.layers." + std::to_string(i), x);
  }
  b.section("head");
  x = rms_norm(b, "model.norm", x, d.rows(), d.width, kEpsilon);
  const TensorId logits =
      config.at("tied", 0, 1, "a switch") == 1
          ? b.call("matmul", {1, d.rows(), d.width, vocab}, {x, words}, {0.0, 1.0})
          : product(b, "lm_head", x, d.rows(), d.width, vocab, normal(0.02));
  return std::move(b).finish(token_loss(b, logits, {d.batch, d.seq}, vocab));
}

}  // namespace siliconprof
