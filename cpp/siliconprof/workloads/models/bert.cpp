#include "siliconprof/workloads/models/bert.h"

#include "siliconprof/workloads/models/layers.h"

namespace siliconprof {
namespace {

constexpr double kEpsilon = 1e-12;
constexpr std::int64_t kSegments = 2;

struct Dims {
  std::int64_t batch, seq, width, heads, hidden;
  std::int64_t rows() const { return batch * seq; }
};

TensorId block(Builder& b, const Dims& d, const std::string& name, TensorId x, Dropout& dropout) {
  const Initial weight = normal(0.02);
  const std::int64_t rows = d.rows();
  const std::int64_t width = d.width;
  b.section(name + ".attention");
  const std::string self = name + ".attention.self.";
  const TensorId q = linear(b, self + "query", x, rows, width, width, weight);
  const TensorId k = linear(b, self + "key", x, rows, width, width, weight);
  const TensorId v = linear(b, self + "value", x, rows, width, width, weight);
  const TensorId y = attention(b, q, k, v, d.batch, d.heads, d.seq, d.seq, width, false);
  const std::string out = name + ".attention.output.";
  const TensorId attended = linear(b, out + "dense", y, rows, width, width, weight);
  x = plus(b, dropout(b, attended), x);
  x = layer_norm(b, out + "LayerNorm", x, rows, width, kEpsilon);
  b.section(name + ".mlp");
  const TensorId wide = linear(b, name + ".intermediate.dense", x, rows, width, d.hidden, weight);
  const TensorId bent = activation(b, "gelu_erf", wide);
  const TensorId narrow = linear(b, name + ".output.dense", bent, rows, d.hidden, width, weight);
  x = plus(b, dropout(b, narrow), x);
  return layer_norm(b, name + ".output.LayerNorm", x, rows, width, kEpsilon);
}

TensorId embed(Builder& b, const Dims& d, std::int64_t context, std::int64_t vocab,
               TensorId words) {
  const TensorId tokens = b.indices("tokens", {d.batch, d.seq}, vocab);
  const TensorId segments = b.indices("segments", {d.batch, d.seq}, kSegments);
  const TensorId places =
      b.parameter("bert.embeddings.position_embeddings.weight", {context, d.width}, normal(0.02));
  const TensorId kinds = b.parameter("bert.embeddings.token_type_embeddings.weight",
                                     {kSegments, d.width}, normal(0.02));
  TensorId x = b.call("embedding", {vocab, d.rows(), d.width}, {words, tokens});
  const TensorId of_kind = b.call("embedding", {kSegments, d.rows(), d.width}, {kinds, segments});
  x = plus(b, x, of_kind);
  x = b.call("bias", {d.batch, d.seq * d.width}, {x, b.view(places, {d.seq, d.width})});
  return layer_norm(b, "bert.embeddings.LayerNorm", x, d.rows(), d.width, kEpsilon);
}

}  // namespace

Trace bert(const ForwardConfig& config) {
  const std::int64_t context = config.at("context", 1, kNoLimit, "");
  const std::int64_t vocab = config.at("vocab", 1, kNoLimit, "");
  const Dims d{config.at("batch", 1, kNoLimit, ""),
               config.at("seq", 1, context, "the context of the model"),
               config.at("width", 1, kNoLimit, ""), config.at("heads", 1, kNoLimit, ""),
               config.at("hidden", 1, kNoLimit, "")};
  config.check_divides("heads", "width");
  Builder b(config.id, config.dtype);
  Dropout dropout(config.dropout);
  b.section("embedding");
  const TensorId words =
      b.parameter("bert.embeddings.word_embeddings.weight", {vocab, d.width}, normal(0.02));
  TensorId x = dropout(b, embed(b, d, context, vocab, words));
  const std::int64_t layers = config.at("layers", 0, kNoLimit, "");
  for (std::int64_t i = 0; i < layers; ++i) {
    x = block(b, d, "bert.encoder.layer." + std::to_string(i), x, dropout);
  }
  b.section("head");
  const std::string head = "cls.predictions.transform.";
  x = linear(b, head + "dense", x, d.rows(), d.width, d.width, normal(0.02));
  x = activation(b, "gelu_erf", x);
  x = layer_norm(b, head + "LayerNorm", x, d.rows(), d.width, kEpsilon);
  const TensorId bias = b.parameter("cls.predictions.bias", {vocab}, constant(0.0));
  const TensorId logits = b.call("linear", {d.rows(), d.width, vocab}, {x, words, bias});
  return std::move(b).finish(token_loss(b, logits, {d.batch, d.seq}, vocab));
}

}  // namespace siliconprof
