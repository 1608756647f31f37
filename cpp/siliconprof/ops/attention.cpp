#include "siliconprof/ops/attention.h"

#include <algorithm>
#include <array>
#include <string>

#include "siliconprof/core/checked.h"
#include "siliconprof/core/error.h"
#include "siliconprof/ops/attention_layout.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 5> kDims{"batch", "heads", "queries", "keys", "head_dim"};
constexpr std::array<std::string_view, 4> kQkvDims{"batch", "tokens", "heads", "head_dim"};
constexpr std::array<AttributeInfo, 1> kAttributes{{{"causal", 0.0}}};
constexpr std::array<AttributeInfo, 1> kQkvAttributes{{{"causal", 1.0}}};

/// The shapes of one call's tensors.
struct Shapes {
  Shape q;
  Shape k;
  Slot lse;
};

Shapes shapes(const OpCall& call) {
  const auto [batch, heads, queries, keys, head_dim] = first<5>(call.dims);
  if (head_dim == 0) throw ShapeError("[attention] head_dim is 0; needed: at least 1");
  return {Shape{batch, queries, heads, head_dim}, Shape{batch, keys, heads, head_dim},
          statistics(call, Shape{batch, heads, queries})};
}

Shapes qkv_shapes(const OpCall& call) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  if (head_dim == 0) throw ShapeError("[attention_qkv] head_dim is 0; needed: at least 1");
  // Pairs go by the square of the tokens, which is no product of dims: 10 flops each at most.
  const auto at_least_1 = [](std::int64_t n) { return std::max<std::int64_t>(n, 1); };
  checked_product("attention_qkv",
                  std::array{std::int64_t{16}, at_least_1(batch), at_least_1(heads),
                             at_least_1(tokens), at_least_1(tokens), head_dim});
  return {Shape{batch, tokens, 3, heads, head_dim}, Shape{batch, tokens, heads, head_dim},
          statistics(call, Shape{batch, heads, tokens})};
}

Signature signature(const OpCall& call) {
  const Shapes s = shapes(call);
  return {{s.q, s.k, s.k}, {s.q, s.lse}};
}

Signature backward_signature(const OpCall& call) {
  const Shapes s = shapes(call);
  return {{s.q, s.k, s.k, s.q, s.lse, s.q}, {s.q, s.k, s.k}};
}

Signature qkv_signature(const OpCall& call) {
  const Shapes s = qkv_shapes(call);
  return {{s.q}, {s.k, s.lse}};
}

Signature qkv_backward_signature(const OpCall& call) {
  const Shapes s = qkv_shapes(call);
  return {{s.q, s.k, s.lse, s.k}, {s.q}};
}

/// Elements of a call that count for its cost; a query that sees no key is not read.
struct Traffic {
  std::int64_t pairs;     // of a query and a key that it sees
  std::int64_t rows;      // of a score matrix that see a key
  std::int64_t queries;   // elements of q that are read
  std::int64_t keys;      // and of k
  std::int64_t all_rows;  // with those that see no key
  std::int64_t all_queries;
  std::int64_t all_keys;
};

Traffic traffic(const AttentionLayout& a) {
  const std::int64_t rows = a.batch * a.heads * (a.queries - a.first_seeing());
  const std::int64_t all_keys = a.batch * a.heads * a.keys * a.head_dim;
  const std::int64_t all_rows = a.batch * a.heads * a.queries;
  return {
      a.batch * a.heads * a.pairs(), rows,    rows * a.head_dim, rows > 0 ? all_keys : 0, all_rows,
      all_rows * a.head_dim,         all_keys};
}

// Of each pair: two products of head_dim terms; scaling, comparison (one less in a row),
// difference, exponential, sum. Of each row: head_dim quotients; the logarithm, a sum.
Cost forward_cost(const AttentionLayout& a, Dtype dtype) {
  const Traffic t = traffic(a);
  return {.matrix_flops = 4 * t.pairs * a.head_dim,
          .vector_flops = 5 * t.pairs - t.rows + t.queries + 2 * t.rows,
          .bytes_read = (t.queries + 2 * t.keys) * size_bytes(dtype),
          .bytes_written =
              t.all_queries * size_bytes(dtype) + t.all_rows * size_bytes(statistics_dtype(dtype))};
}

// Of each pair: five products; scaling, difference, exponential; difference, product, scaling. Of
// each row: y·dy.
Cost gradient_cost(const AttentionLayout& a, Dtype dtype) {
  const Traffic t = traffic(a);
  return {.matrix_flops = 10 * t.pairs * a.head_dim,
          .vector_flops = 6 * t.pairs + 2 * t.queries,
          .bytes_read = (3 * t.queries + 2 * t.keys) * size_bytes(dtype) +
                        t.rows * size_bytes(statistics_dtype(dtype)),
          .bytes_written = (t.all_queries + 2 * t.all_keys) * size_bytes(dtype)};
}

Cost cost(const OpCall& call) { return forward_cost(attention_layout(call), call.dtype); }
Cost backward_cost(const OpCall& call) { return gradient_cost(attention_layout(call), call.dtype); }
Cost qkv_cost(const OpCall& call) { return forward_cost(attention_qkv_layout(call), call.dtype); }
Cost qkv_backward_cost(const OpCall& call) {
  return gradient_cost(attention_qkv_layout(call), call.dtype);
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const auto [batch, heads, queries, keys, head_dim] = first<5>(call.dims);
  const auto [q, k, v] = first<3>(call.inputs);
  const std::vector<TensorId> kept = kept_outputs(trace, call);
  return emit_gradients(trace, kAttentionBackward, {batch, heads, queries, keys, head_dim},
                        call.dtype, {call.attributes[0]},
                        {q, k, v, kept[0], kept[1], cotangents[0]}, {"dq", "dk", "dv"});
}

std::vector<TensorId> qkv_vjp(Trace& trace, const OpCall& call,
                              std::span<const TensorId> cotangents) {
  const auto [batch, tokens, heads, head_dim] = first<4>(call.dims);
  const std::vector<TensorId> kept = kept_outputs(trace, call);
  return {emit_gradient(trace, kAttentionQkvBackward, {batch, tokens, heads, head_dim}, call.dtype,
                        {call.attributes[0]}, {call.inputs[0], kept[0], kept[1], cotangents[0]},
                        "dqkv")};
}

}  // namespace

constinit const Op kAttention{
    .name = "attention",
    .summary =
        "y = softmax(q·kᵀ/√head_dim)·v, lse its log of sums; q, y (batch, queries, heads, "
        "head_dim), k, v (batch, keys, heads, head_dim), lse (batch, heads, queries)",
    .op_class = OpClass::Attention,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = vjp,
};

constinit const Op kAttentionBackward{
    .name = "attention_backward",
    .summary =
        "dq, dk, dv from q, k, v, y, lse, dy; q, y (batch, queries, heads, head_dim), k, v "
        "(batch, keys, heads, head_dim), lse (batch, heads, queries)",
    .op_class = OpClass::Attention,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

constinit const Op kAttentionQkv{
    .name = "attention_qkv",
    .summary =
        "attention of q, k, v in one; qkv (batch, tokens, 3, heads, head_dim) → y (batch, "
        "tokens, heads, head_dim), lse (batch, heads, tokens)",
    .op_class = OpClass::Attention,
    .dim_names = kQkvDims,
    .attributes = kQkvAttributes,
    .signature = qkv_signature,
    .cost = qkv_cost,
    .vjp = qkv_vjp,
};

constinit const Op kAttentionQkvBackward{
    .name = "attention_qkv_backward",
    .summary =
        "dqkv from qkv, y, lse, dy; qkv (batch, tokens, 3, heads, head_dim), y (batch, "
        "tokens, heads, head_dim), lse (batch, heads, tokens)",
    .op_class = OpClass::Attention,
    .dim_names = kQkvDims,
    .attributes = kQkvAttributes,
    .signature = qkv_backward_signature,
    .cost = qkv_backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
