#pragma once

// Small forward traces that passes are tried on.

#include <algorithm>
#include <string>
#include <vector>

#include "siliconprof/workloads/builder.h"
#include "siliconprof/workloads/catalogue.h"

namespace siliconprof {

/// loss = cross-entropy of relu(x·W1ᵀ + b1)·W2ᵀ + b2 against labels; x (rows, 3), 4 hidden, 5
/// classes.
inline Trace tiny_mlp(Dtype dtype = Dtype::Float64, std::int64_t rows = 2) {
  Builder b("mlp", dtype);
  const Initial some{Initial::Kind::Normal, 0.5};
  b.section("block.0.first");
  const TensorId x = b.input("x", {rows, 3});
  const TensorId w1 = b.parameter("fc1.weight", {4, 3}, some);
  const TensorId b1 = b.parameter("fc1.bias", {4}, some);
  const TensorId h = b.call("linear", {rows, 3, 4}, {x, w1, b1});
  const TensorId a = b.call("relu", {rows * 4}, {h});
  b.section("block.1.second");
  const TensorId w2 = b.parameter("fc2.weight", {5, 4}, some);
  const TensorId b2 = b.parameter("fc2.bias", {5}, some);
  const TensorId y = b.call("linear", {rows, 4, 5}, {a, w2, b2});
  b.section("loss");
  const TensorId labels = b.indices("labels", {rows}, 5);
  return std::move(b).finish(b.call("cross_entropy", {rows, 5}, {y, labels}));
}

inline Sizes tiny_gpt2_sizes() {
  return {{"batch", 2},  {"seq", 3},   {"context", 5}, {"vocab", 7},
          {"layers", 2}, {"width", 6}, {"heads", 2}};
}

inline Trace tiny_gpt2(Dtype dtype = Dtype::Float64) {
  return forward_trace(find_model("gpt2-small"), tiny_gpt2_sizes(), dtype);
}

/// Names of the ops that a trace calls, in order.
inline std::vector<std::string> op_sequence(const Trace& trace) {
  std::vector<std::string> names;
  for (const OpCall& call : trace.calls()) names.emplace_back(call.op->name);
  return names;
}

inline std::int64_t count_op(const Trace& trace, std::string_view op) {
  return std::count_if(trace.calls().begin(), trace.calls().end(),
                       [op](const OpCall& call) { return call.op->name == op; });
}

inline TensorInfo tensor_named(const Trace& trace, std::string_view name) {
  for (const TensorInfo& info : trace.tensors()) {
    if (info.name == name) return info;
  }
  return {};
}

}  // namespace siliconprof
