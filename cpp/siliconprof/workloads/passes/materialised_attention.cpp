#include "siliconprof/workloads/passes/materialised_attention.h"

#include <cmath>
#include <string>

#include "siliconprof/workloads/passes/trace_copy.h"

namespace siliconprof {
namespace {

// at::_safe_softmax asks of each score whether it is -inf, of each row whether all are, and writes
// all of them anew: 14 bytes of a float32 one, where a copy moves 8.
constexpr int kPassesOfRowCheck = 2;

class Attention {
 public:
  Attention(Trace& trace, const OpCall& call, bool as_torch)
      : trace_(trace), call_(call), as_torch_(as_torch) {}

  TensorId run() {
    const bool packed = call_.op->name == "attention_qkv";
    const std::int64_t batch = call_.dims[0];
    const std::int64_t heads = call_.dims[packed ? 2 : 1];
    const std::int64_t queries = call_.dims[packed ? 1 : 2];
    const std::int64_t keys = packed ? queries : call_.dims[3];
    const std::int64_t head_dim = call_.dims[packed ? 3 : 4];
    const std::int64_t width = heads * head_dim;
    std::array<TensorId, 3> qkv{call_.inputs[0], call_.inputs[1], call_.inputs[2]};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t tokens = i == 0 ? queries : keys;
      if (packed) {
        qkv[i] = append("slice", {batch * tokens, 3, 1, width}, {double(i)}, {call_.inputs[0]});
      }
      qkv[i] = append("transpose", {batch, tokens, heads, head_dim}, {}, {qkv[i]});
    }
    const auto [q, k, v] = qkv;
    const std::int64_t matrices = batch * heads;
    const double scale = 1.0 / std::sqrt(double(head_dim));
    const double part = as_torch_ ? std::sqrt(scale) : scale;
    const TensorId a = append("scale", {matrices * queries * head_dim}, {part}, {q});
    const TensorId b = as_torch_ ? append("scale", {matrices * keys * head_dim}, {part}, {k}) : k;
    TensorId s = append("matmul", {matrices, queries, head_dim, keys}, {0.0, 1.0}, {a, b});
    if (is_set(call_.attributes[0])) s = append("causal_mask", {matrices, queries, keys}, {}, {s});
    for (int pass = 0; as_torch_ && pass < kPassesOfRowCheck; ++pass) {
      s = append("copy", {matrices * queries * keys}, {}, {s});
    }
    const TensorId p = append("softmax", {matrices * queries, keys, 1}, {}, {s});
    const TensorId y = append("matmul", {matrices, queries, keys, head_dim}, {}, {p, v});
    return append("transpose", {batch, heads, queries, head_dim}, {}, {y});
  }

 private:
  TensorId append(std::string_view op, std::initializer_list<std::int64_t> dims,
                  std::initializer_list<double> attributes,
                  std::initializer_list<TensorId> inputs) {
    return append_call(trace_, op, dims, call_.dtype, call_.phase, attributes, inputs,
                       "attention." + std::string(op), Role::Activation);
  }

  Trace& trace_;
  OpCall call_;  // a copy: the caller's may lie in the trace that grows
  bool as_torch_;
};

}  // namespace

TensorId materialise_attention(Trace& trace, const OpCall& call, bool as_torch) {
  return Attention(trace, call, as_torch).run();
}

}  // namespace siliconprof
