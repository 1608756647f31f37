#include "siliconprof/workloads/models/gpt2.h"

#include <cmath>

#include "siliconprof/workloads/models/layers.h"

namespace siliconprof {
namespace {

constexpr double kDeviation = 0.02;

struct Dims {
  std::int64_t batch, seq, layers, width, heads, vocab;
  std::int64_t rows() const { return batch * seq; }
};

TensorId block(Builder& b, const Dims& d, const std::string& name, TensorId x, Dropout& dropout) {
  const std::int64_t rows = d.rows();
  // The products that end on the residual stream start smaller, by the number of them.
  const Initial inner = normal(kDeviation);
  const Initial last = normal(kDeviation / std::sqrt(2.0 * double(d.layers)));
  b.section(name + ".attention");
  const TensorId normed = layer_norm(b, name + ".ln_1", x, rows, d.width);
  const TensorId qkv = linear(b, name + ".attn.c_attn", normed, rows, d.width, 3 * d.width, inner);
  const TensorId mixed =
      b.call("attention_qkv", {d.batch, d.seq, d.heads, d.width / d.heads}, {qkv}, {1.0});
  const TensorId attended = linear(b, name + ".attn.c_proj", mixed, rows, d.width, d.width, last);
  x = plus(b, x, dropout(b, attended));
  b.section(name + ".mlp");
  const TensorId again = layer_norm(b, name + ".ln_2", x, rows, d.width);
  const TensorId wide = linear(b, name + ".mlp.c_fc", again, rows, d.width, 4 * d.width, inner);
  const TensorId bent = activation(b, "gelu_tanh", wide);
  const TensorId narrow = linear(b, name + ".mlp.c_proj", bent, rows, 4 * d.width, d.width, last);
  return plus(b, x, dropout(b, narrow));
}

}  // namespace

Trace gpt2(const ForwardConfig& config) {
  const std::int64_t context = config.at("context", 1, kNoLimit, "");
  const Dims d{config.at("batch", 1, kNoLimit, ""),
               config.at("seq", 1, context, "the context of the model"),
               config.at("layers", 0, kNoLimit, ""),
               config.at("width", 1, kNoLimit, ""),
               config.at("heads", 1, kNoLimit, ""),
               config.at("vocab", 1, kNoLimit, "")};
  config.check_divides("heads", "width");
  Builder b(config.id, config.dtype);
  Dropout dropout(config.dropout);
  b.section("embedding");
  const TensorId tokens = b.indices("tokens", {d.batch, d.seq}, d.vocab);
  const TensorId wte = b.parameter("wte.weight", {d.vocab, d.width}, normal(kDeviation));
  const TensorId wpe = b.parameter("wpe.weight", {context, d.width}, normal(kDeviation / 2));
  TensorId x = b.call("embedding", {d.vocab, d.rows(), d.width}, {wte, tokens});
  const TensorId positions = b.view(wpe, {d.seq, d.width});
  x = b.call("bias", {d.batch, d.seq * d.width}, {x, positions});
  x = dropout(b, x);
  for (std::int64_t i = 0; i < d.layers; ++i) {
    x = block(b, d, "h." + std::to_string(i), x, dropout);
  }
  b.section("head");
  x = layer_norm(b, "ln_f", x, d.rows(), d.width);
  const TensorId logits = b.call("matmul", {1, d.rows(), d.width, d.vocab}, {x, wte}, {0.0, 1.0});
  return std::move(b).finish(token_loss(b, logits, {d.batch, d.seq}, d.vocab));
}

}  // namespace siliconprof
