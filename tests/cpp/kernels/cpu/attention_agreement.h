#pragma once

// Attention and its gradient held to the definition, whichever loops run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "attention_bounds.h"
#include "siliconprof/kernels/cpu/attention.h"

namespace siliconprof::cpu {

using Runner = void (*)(const KernelCall&, const AttentionRun&);

inline std::vector<Tensor> run_with(Runner runner, const AttentionRun& how, const OpCall& call,
                                    const std::vector<TensorView>& inputs, int threads,
                                    const Poll& poll = {}) {
  std::vector<Tensor> outputs;
  std::vector<TensorView> views;
  for (const Slot& slot : call.op->signature(call).outputs) {
    views.push_back(outputs.emplace_back(slot.dtype_in(call), slot.shape).view());
    std::memset(views.back().data, 0xff, std::size_t(views.back().bytes()));
  }
  runner({call, inputs, views, threads, poll}, how);
  return outputs;
}

inline void expect_near(const Tensor& found, const Values& exact, const Values& bound,
                        Dtype dtype) {
  const Values values = to_values(found.view());
  ASSERT_EQ(values.size(), exact.size());
  const double u = unit_roundoff(dtype);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (std::isinf(exact[i])) {
      ASSERT_EQ(values[i], exact[i]) << i;
      continue;
    }
    const double most = bound[i] + u * (std::abs(exact[i]) + bound[i]) + underflow(dtype);
    ASSERT_LE(std::abs(values[i] - exact[i]), most)
        << "element " << i << " is " << values[i] << ", not " << exact[i];
  }
}

/// What the test of one shape goes through; `one` for attention_qkv.
struct Case {
  bool one;
  std::vector<std::int64_t> dims;
  double causal;
  Dtype dtype;
  int threads;
  double flops_between_polls;
  std::uint64_t seed;
};

/// The backward call's inputs: those of the forward one, its results as the definition has them,
/// rounded, and a cotangent.
inline std::vector<Tensor> with_results(const Example& forward, const Example& backward) {
  std::vector<Tensor> inputs;
  std::vector<Values> in;
  for (const Tensor& tensor : forward.inputs) in.push_back(to_values(tensor.view()));
  const std::vector<Values> results = define_all(forward.call, in);
  const std::size_t first = forward.inputs.size();
  for (std::size_t i = 0; i < backward.inputs.size(); ++i) {
    const TensorView& like = backward.inputs[i].view();
    Tensor& tensor = inputs.emplace_back(like.dtype, like.shape);
    const TensorView& from = i < first ? forward.inputs[i].view() : like;
    std::memcpy(tensor.view().data, from.data, std::size_t(like.bytes()));
    if (i != first && i != first + 1) continue;
    for (std::int64_t e = 0; e < like.elements(); ++e) {
      const double value = results[i - first][std::size_t(e)];
      with_element_type(like.dtype, [&]<class E>() {
        if constexpr (std::is_same_v<E, double>) {
          tensor.view().as<E>()[e] = value;
        } else {
          tensor.view().as<E>()[e] = E(float(value));
        }
      });
    }
  }
  return inputs;
}

inline std::string name_of(const AttentionRun& how) {
  if (how.halves == nullptr) return std::string(how.table.instruction_set);
  return std::string(how.halves->loops.instruction_set) + " and " +
         std::string(how.halves->machine.tiles->instruction_set);
}

/// The loops of `how`, at the case's pace.
inline void expect_attention_agrees(const AttentionRun& how, const Case& c) {
  const Example forward(c.one ? "attention_qkv" : "attention", c.dims, c.dtype, {c.causal}, c.seed);
  const Example backward(c.one ? "attention_qkv_backward" : "attention_backward", c.dims, c.dtype,
                         {c.causal}, c.seed + 9);
  SCOPED_TRACE(name_of(how) + " " + to_string(forward.call) + " causal " +
               std::to_string(c.causal) + " threads " + std::to_string(c.threads));
  const std::vector<Tensor> inputs = with_results(forward, backward);
  std::vector<TensorView> views;
  std::vector<Values> in;
  for (const Tensor& tensor : inputs) {
    views.push_back(tensor.view());
    in.push_back(to_values(tensor.view()));
  }
  const AttentionLayout a =
      c.one ? attention_qkv_layout(forward.call) : attention_layout(forward.call);
  const std::size_t kept = c.one ? 1 : 3;
  const AttentionValues values{in[0].data(),    in[c.one ? 0 : 1].data(), in[c.one ? 0 : 2].data(),
                               in[kept].data(), in[kept + 1].data(),      in[kept + 2].data()};
  const double u = c.dtype == Dtype::Float64 ? 0x1p-52 : 0x1p-24;  // the definition rounds too
  const double of_factors = how.halves == nullptr ? 0 : unit_roundoff(c.dtype);
  const AttentionBounds bounds =
      attention_bounds(a, values, in[0].size(), in[c.one ? 0 : 1].size(), u, of_factors);
  const AttentionRun paced{how.table, c.flops_between_polls, how.halves};

  const std::vector<Values> exact = define_all(forward.call, {in.begin(), in.begin() + kept});
  const std::vector<Tensor> found =
      run_with(c.one ? Runner(run_attention_qkv) : Runner(run_attention), paced, forward.call,
               forward.views(), c.threads);
  expect_near(found[0], exact[0], bounds.y, c.dtype);
  expect_near(found[1], exact[1], bounds.lse, statistics_dtype(c.dtype));

  const std::vector<Values> slopes = define_all(backward.call, in);
  const std::vector<Tensor> gradients =
      run_with(c.one ? Runner(run_attention_qkv_backward) : Runner(run_attention_backward), paced,
               backward.call, views, c.threads);
  if (c.one) {
    Values all = bounds.dq;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += bounds.dk[i] + bounds.dv[i];
    expect_near(gradients[0], slopes[0], all, c.dtype);
  } else {
    expect_near(gradients[0], slopes[0], bounds.dq, c.dtype);
    expect_near(gradients[1], slopes[1], bounds.dk, c.dtype);
    expect_near(gradients[2], slopes[2], bounds.dv, c.dtype);
  }
}

/// One key outdoes all others by scores of the square of `great`: its probability is 1 in both
/// passes, and so its value alone gets a gradient, the sum of the cotangents.
inline void expect_gradient_of_one_key(const AttentionRun& how, Dtype dtype, double great) {
  constexpr std::int64_t queries = 20, keys = 40, n = 24, best = 7;
  SCOPED_TRACE(name_of(how) + " with " + std::to_string(great));
  const Example forward("attention", {1, 1, queries, keys, n}, dtype, {0}, 5);
  const Example backward("attention_backward", {1, 1, queries, keys, n}, dtype, {0}, 6);
  for (std::int64_t i = 0; i < keys * n; ++i) {
    const double value = great * (1 + 0.3 * std::sin(double(i)));
    if (i < queries * n) set(forward.inputs[0], i, value);
    set(forward.inputs[1], i, i / n == best ? value : -value);
  }
  const std::vector<Tensor> results =
      run_with(run_attention, how, forward.call, forward.views(), 1);
  std::vector<TensorView> views = forward.views();
  for (const Tensor& result : results) views.push_back(result.view());
  views.push_back(backward.inputs[5].view());
  const auto found = run_with(run_attention_backward, how, backward.call, views, 1);
  const Values dy = to_values(views.back());
  const Values dv = to_values(found[2].view());
  for (std::size_t c = 0; c < std::size_t(keys * n); ++c) {
    double sum = 0, size = 0;
    for (std::size_t i = 0; c / n == best && i < std::size_t(queries); ++i) {
      sum += dy[i * n + c % n];
      size += std::abs(dy[i * n + c % n]);
    }
    const double sum_roundoff = dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
    const double bound = queries * sum_roundoff * size + unit_roundoff(dtype) * std::abs(sum);
    ASSERT_LE(std::abs(dv[c] - sum), bound) << "element " << c;
  }
}

/// Of random sizes, often 0 or 1.
inline Case random_case(std::mt19937_64& random, Dtype dtype) {
  const auto size = [&random](std::int64_t most) {
    return random() % 6 == 0 ? std::int64_t(random() % 2)
                             : std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  const bool one = random() % 3 == 0;
  const std::int64_t head_dim = std::max<std::int64_t>(size(70), 1);
  Case c{one,
         {size(3), size(3), size(150), size(290), head_dim},
         double(random() % 2),
         dtype,
         1 + int(random() % 3),
         random() % 2 == 0 ? 1.0 : 1e9,
         random()};
  if (one) c.dims = {c.dims[0], c.dims[2], c.dims[1], head_dim};
  return c;
}

}  // namespace siliconprof::cpu
