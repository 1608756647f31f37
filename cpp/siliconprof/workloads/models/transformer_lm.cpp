#include "siliconprof/workloads/models/transformer_lm.h"

#include <cmath>

#include "siliconprof/workloads/models/layers.h"

namespace siliconprof {
namespace {

struct Dims {
  std::int64_t batch, seq, width, heads;
  std::int64_t rows() const { return batch * seq; }
};

TensorId block(Builder& b, const Dims& d, const std::string& name, TensorId x, Dropout& dropout) {
  const std::int64_t rows = d.rows();
  const std::int64_t width = d.width;
  const Initial weight = uniform(width);
  b.section(name + ".attention");
  const TensorId normed = layer_norm(b, name + ".ln1", x, rows, width);
  const std::string self = name + ".attention.";
  const TensorId q = product(b, self + "query_proj", normed, rows, width, width, weight);
  const TensorId k = product(b, self + "key_proj", normed, rows, width, width, weight);
  const TensorId v = product(b, self + "value_proj", normed, rows, width, width, weight);
  const TensorId y = attention(b, q, k, v, d.batch, d.heads, d.seq, d.seq, width, true);
  const TensorId out = product(b, self + "out_proj", y, rows, width, width, weight);
  x = plus(b, x, dropout(b, out));
  b.section(name + ".mlp");
  const TensorId again = layer_norm(b, name + ".ln2", x, rows, width);
  const TensorId wide = linear(b, name + ".linear1", again, rows, width, 4 * width, weight);
  const TensorId bent = activation(b, "relu", wide);
  const TensorId narrow =
      linear(b, name + ".linear2", bent, rows, 4 * width, width, uniform(4 * width));
  return plus(b, x, dropout(b, narrow));
}

}  // namespace

Trace transformer_lm(const ForwardConfig& config) {
  const std::int64_t context = config.at("context", 1, kNoLimit, "");
  const std::int64_t vocab = config.at("vocab", 1, kNoLimit, "");
  const Dims d{config.at("batch", 1, kNoLimit, ""),
               config.at("seq", 1, context, "the context of the model"),
               config.at("width", 2, kNoLimit, ""), config.at("heads", 1, kNoLimit, "")};
  config.check_divides("heads", "width");
  Builder b(config.id, config.dtype);
  Dropout dropout(config.dropout);
  b.section("embedding");
  const TensorId tokens = b.indices("tokens", {d.batch, d.seq}, vocab);
  const TensorId words =
      b.parameter("embedding.weight", {vocab, d.width}, normal(1.0 / std::sqrt(double(d.width))));
  const TensorId places = b.constant("positions", {d.seq, d.width},
                                     {Initial::Kind::Sinusoids, std::sqrt(2.0 / double(d.width))});
  TensorId x = b.call("embedding", {vocab, d.rows(), d.width}, {words, tokens});
  x = b.call("bias", {d.batch, d.seq * d.width}, {x, places});
  const std::int64_t layers = config.at("layers", 0, kNoLimit, "");
  for (std::int64_t i = 0; i < layers; ++i) {
    x = block(b, d, "transformer.layers." + std::to_string(i), x, dropout);
  }
  b.section("head");
  x = layer_norm(b, "transformer.ln", x, d.rows(), d.width);
  const TensorId logits = linear(b, "out_proj", x, d.rows(), d.width, vocab, uniform(d.width));
  return std::move(b).finish(token_loss(b, logits, {d.batch, d.seq}, vocab));
}

}  // namespace siliconprof
