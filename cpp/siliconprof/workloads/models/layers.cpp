#include "siliconprof/workloads/models/layers.h"

#include <cmath>

namespace siliconprof {

Initial uniform(std::int64_t fan_in) {
  return {Initial::Kind::Uniform, 1.0 / std::sqrt(double(fan_in))};
}

TensorId linear(Builder& b, const std::string& name, TensorId x, std::int64_t rows, std::int64_t in,
                std::int64_t out, Initial weight) {
  const TensorId w = b.parameter(name + ".weight", {out, in}, weight);
  const TensorId bias = b.parameter(name + ".bias", {out}, constant(0.0));
  return b.call("linear", {rows, in, out}, {x, w, bias});
}

TensorId product(Builder& b, const std::string& name, TensorId x, std::int64_t rows,
                 std::int64_t in, std::int64_t out, Initial weight) {
  const TensorId w = b.parameter(name + ".weight", {out, in}, weight);
  return b.call("matmul", {1, rows, in, out}, {x, w}, {0.0, 1.0});
}

TensorId layer_norm(Builder& b, const std::string& name, TensorId x, std::int64_t rows,
                    std::int64_t n, double epsilon) {
  const TensorId weight = b.parameter(name + ".weight", {n}, constant(1.0));
  const TensorId bias = b.parameter(name + ".bias", {n}, constant(0.0));
  return b.call("layer_norm", {rows, n}, {x, weight, bias}, {epsilon});
}

TensorId rms_norm(Builder& b, const std::string& name, TensorId x, std::int64_t rows,
                  std::int64_t n, double epsilon) {
  const TensorId weight = b.parameter(name + ".weight", {n}, constant(1.0));
  return b.call("rms_norm", {rows, n}, {x, weight}, {epsilon});
}

TensorId plus(Builder& b, TensorId x, TensorId y) { return b.call("add", {b.elements(x)}, {x, y}); }

TensorId activation(Builder& b, std::string_view op, TensorId x) {
  return b.call(op, {b.elements(x)}, {x});
}

TensorId Dropout::operator()(Builder& b, TensorId x) {
  if (rate_ == 0.0) return x;
  return b.call("dropout", {b.elements(x)}, {x}, {rate_, double(++calls_)});
}

TensorId attention(Builder& b, TensorId q, TensorId k, TensorId v, std::int64_t batch,
                   std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t width,
                   bool causal) {
  return b.call("attention", {batch, heads, queries, keys, width / heads}, {q, k, v},
                {double(causal)});
}

TensorId token_loss(Builder& b, TensorId logits, const Shape& shape, std::int64_t v) {
  const TensorId targets = b.indices("targets", shape, v);
  return b.call("cross_entropy", {shape.elements(), v}, {logits, targets});
}

}  // namespace siliconprof
