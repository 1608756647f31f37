#pragma once

// The layers that several models share. Parameters are named "<name>.weight" and "<name>.bias".

#include <string>

#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/sizes.h"

namespace siliconprof {

/// Numbers of the given standard deviation.
inline Initial normal(double deviation) { return {Initial::Kind::Normal, deviation}; }
inline Initial constant(double value) { return {Initial::Kind::Constant, value}; }
/// Uniform with the bound that PyTorch gives the weights of a layer with `fan_in` inputs.
Initial uniform(std::int64_t fan_in);

/// y = x·Wᵀ + b; x (rows, in), W (out, in), b (out).
TensorId linear(Builder& b, const std::string& name, TensorId x, std::int64_t rows, std::int64_t in,
                std::int64_t out, Initial weight);
/// The same without b.
TensorId product(Builder& b, const std::string& name, TensorId x, std::int64_t rows,
                 std::int64_t in, std::int64_t out, Initial weight);

/// Over the last axis of x (rows, n).
TensorId layer_norm(Builder& b, const std::string& name, TensorId x, std::int64_t rows,
                    std::int64_t n, double epsilon = 1e-5);
TensorId rms_norm(Builder& b, const std::string& name, TensorId x, std::int64_t rows,
                  std::int64_t n, double epsilon);

/// x + y.
TensorId plus(Builder& b, TensorId x, TensorId y);
/// An activation by the name of its op.
TensorId activation(Builder& b, std::string_view op, TensorId x);

/// Dropout with the config's rate and a seed of its own each time; nothing where the rate is 0.
class Dropout {
 public:
  explicit Dropout(double rate) : rate_(rate) {}
  TensorId operator()(Builder& b, TensorId x);

 private:
  double rate_;
  int calls_ = 0;
};

/// Attention from q (batch, queries, heads·head_dim) to k and v alike, keys in place of queries.
TensorId attention(Builder& b, TensorId q, TensorId k, TensorId v, std::int64_t batch,
                   std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t width,
                   bool causal);

/// The mean cross-entropy of logits (rows, v) against new int32 targets "targets" of `shape`.
TensorId token_loss(Builder& b, TensorId logits, const Shape& shape, std::int64_t v);

}  // namespace siliconprof
