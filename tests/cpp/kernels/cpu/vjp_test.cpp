// Every vector-Jacobian rule against central differences, in float64 on the reference engine.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "siliconprof/kernels/cpu/bound_trace.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

using Values = std::vector<std::vector<double>>;
using Dims = std::map<std::string, std::int64_t>;
using Attributes = std::map<std::string, double>;

const Poll kNoPoll;

/// Tensors that the caller gives, indices as numbers.
struct Given {
  Trace trace;
  Values values;

  explicit Given(Trace made) : trace(std::move(made)) {
    for (const TensorInfo& info : trace.tensors()) {
      if (!is_given(info)) continue;
      Tensor tensor(info.dtype, info.shape);
      if (info.dtype == Dtype::Int32) {
        tensor.fill_indices(info.index_limit, 100 + values.size());
        const auto* data = tensor.view().as<std::int32_t>();
        values.emplace_back(data, data + info.shape.elements());
      } else {
        tensor.fill_uniform(100 + values.size());
        const auto* data = tensor.view().as<double>();
        values.emplace_back(data, data + info.shape.elements());
      }
    }
  }
};

/// Results in float64, in order.
Values run(const Trace& trace, Values inputs) {
  std::vector<std::vector<std::int32_t>> indices(inputs.size());
  std::vector<TensorView> views;
  for (const TensorInfo& info : trace.tensors()) {
    if (!is_given(info)) continue;
    Values::value_type& values = inputs[views.size()];
    auto& as_index = indices[views.size()];
    as_index.assign(values.begin(), values.end());
    void* data = info.dtype == Dtype::Int32 ? static_cast<void*>(as_index.data()) : values.data();
    views.push_back({data, info.dtype, info.shape});
  }
  const BoundTrace bound(trace, find_engine("reference"), 1, views);
  for (std::size_t call = 0; call < trace.calls().size(); ++call) bound.run(call, kNoPoll);
  Values results;
  for (const TensorId id : result_ids(trace)) {
    const TensorView& view = bound.view(id);
    if (view.dtype != Dtype::Float64) continue;
    results.emplace_back(view.as<double>(), view.as<double>() + view.elements());
  }
  return results;
}

/// Without what a mask makes infinite, which has no slope.
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i])) sum += a[i] * b[i];
  }
  return sum;
}

/// Predictions and targets of a cross-entropy lie between 0 and 1.
void fit_domain(std::string_view op, Values& inputs) {
  if (op == "log_mel") {  // filters aren't negative: a logarithm follows
    for (double& value : inputs[1]) value = 0.6 + 0.5 * value;
  }
  if (op != "bce") return;
  for (std::vector<double>& values : inputs) {
    for (double& value : values) value = 0.5 + 0.4 * value;
  }
}

/// A window fits into the data, and pairs into a head.
void fit_dims(Dims& dims) {
  if (dims.count("head_dim") != 0) dims["head_dim"] = 4;
  for (const char* kernel : {"kernel", "kernel_h", "kernel_w"}) {
    if (dims.count(kernel) != 0) dims[kernel] = 2;
  }
}

/// Central differences are exact up to rounding where an op is at most bilinear (on each side of a
/// kink); else off by h²/6 of a third derivative.
double tolerance(std::string_view op) {
  // Rows of three deviate by a third or so: derivatives grow by 3 each time.
  // A logarithm's argument is as small as 0.1.
  for (const std::string_view steep :
       {"bce", "layer_norm", "group_norm", "batch_norm", "log_mel"}) {
    if (op == steep) return 1e-6;
  }
  for (const std::string_view curved :
       {"selu", "sigmoid", "softplus", "gelu_erf", "gelu_tanh", "silu", "softmax", "rms_norm",
        "normalise", "attention", "attention_qkv", "cross_entropy", "nt_xent", "bias_gelu_erf",
        "bias_gelu_tanh", "silu_gate"}) {
    if (op == curved) return 1e-8;
  }
  return 1e-9;
}

void check_vjp(std::string_view op, const Dims& dims, const Attributes& attributes) {
  const Given forward(single_op(op, dims, Dtype::Float64, attributes, false));
  Given backward(single_op(op, dims, Dtype::Float64, attributes, true));
  Values inputs = forward.values;
  fit_domain(op, inputs);
  std::copy(inputs.begin(), inputs.end(), backward.values.begin());
  const std::vector<double> cotangent = backward.values.back();
  const Values gradients = run(backward.trace, backward.values);
  const auto followed = [&](const Values& values) {
    return dot(run(forward.trace, values)[0], cotangent);
  };
  const double h = 1e-4;
  std::size_t gradient = 0;
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    if (forward.trace.tensors()[which].dtype == Dtype::Int32) continue;
    ASSERT_LT(gradient, gradients.size()) << op;
    ASSERT_EQ(gradients[gradient].size(), inputs[which].size()) << op;
    for (std::size_t i = 0; i < inputs[which].size(); ++i) {
      Values up = inputs;
      Values down = inputs;
      up[which][i] += h;
      down[which][i] -= h;
      const double slope = (followed(up) - followed(down)) / (2 * h);
      EXPECT_NEAR(gradients[gradient][i], slope, tolerance(op))
          << op << " input " << which << " [" << i << "]";
    }
    ++gradient;
  }
  EXPECT_EQ(gradient, gradients.size()) << op;
}

TEST(Vjp, MatmulAgreesWithCentralDifferencesForEveryTranspose) {
  for (const double ta : {0.0, 1.0}) {
    for (const double tb : {0.0, 1.0}) {
      check_vjp("matmul", {{"batch", 2}, {"m", 3}, {"k", 4}, {"n", 5}},
                {{"transpose_a", ta}, {"transpose_b", tb}});
    }
  }
}

TEST(Vjp, MatvecAgreesWithCentralDifferencesForEveryTranspose) {
  for (const double transpose : {0.0, 1.0}) {
    check_vjp("matvec", {{"m", 3}, {"n", 5}}, {{"transpose", transpose}});
  }
}

TEST(Vjp, AttentionAgreesWithCentralDifferencesWithAndWithoutTheMask) {
  for (const double causal : {0.0, 1.0}) {
    for (const std::int64_t queries : {2, 5}) {  // the first 2 of 5 see no key
      check_vjp("attention",
                {{"batch", 2}, {"heads", 2}, {"queries", queries}, {"keys", 3}, {"head_dim", 2}},
                {{"causal", causal}});
    }
    check_vjp("attention_qkv", {{"batch", 2}, {"tokens", 4}, {"heads", 2}, {"head_dim", 3}},
              {{"causal", causal}});
  }
}

TEST(Vjp, SliceAgreesWithCentralDifferencesWhereverItBegins) {
  for (const double begin : {0.0, 1.0, 2.0}) {
    check_vjp("slice", {{"outer", 2}, {"size", 5}, {"length", 3}, {"inner", 2}},
              {{"begin", begin}});
  }
}

TEST(Vjp, SortAgreesWithCentralDifferencesInBothDirections) {
  for (const double descending : {0.0, 1.0}) {
    check_vjp("sort", {{"outer", 2}, {"size", 5}, {"inner", 3}}, {{"descending", descending}});
  }
}

// Rounding to a narrower format has no slope to compare with: its rule is tested beside the op.
bool has_own_test(std::string_view op) {
  return op == "slice" || op == "log_mel" || op.starts_with("cast_");
}

TEST(Vjp, LogMelAgreesWithCentralDifferencesPastBothEnds) {
  for (const double hop : {1.0, 3.0, 7.0}) {
    check_vjp("log_mel", {{"batch", 2}, {"samples", 9}, {"mels", 3}}, {{"fft", 6}, {"hop", hop}});
    check_vjp("log_mel", {{"batch", 1}, {"samples", 8}, {"mels", 2}}, {{"fft", 20}, {"hop", hop}});
  }
}

TEST(Vjp, ContrastiveLossAgreesWithCentralDifferencesForSeveralPairs) {
  check_vjp("nt_xent", {{"rows", 6}}, {{"temperature", 0.7}});
}

TEST(Vjp, EveryOpAgreesWithCentralDifferencesAtItsDefaults) {
  for (const Op* op : all_ops()) {
    if (op->vjp == nullptr || has_own_test(op->name)) continue;
    Dims dims;
    std::int64_t size = 2;
    for (const auto dim : op->dim_names) dims[std::string(dim)] = size++;
    fit_dims(dims);
    check_vjp(op->name, dims, {});
  }
}

TEST(Vjp, ConvolutionsAgreeWithCentralDifferencesForEveryStrideAndPadding) {
  for (const double stride : {1.0, 2.0, 3.0}) {
    for (const double padding : {0.0, 1.0}) {
      const Attributes attributes{{"stride", stride}, {"padding", padding}};
      check_vjp("conv1d",
                {{"batch", 2}, {"length", 7}, {"channels", 2}, {"outputs", 3}, {"kernel", 2}},
                attributes);
      check_vjp("conv2d",
                {{"batch", 1},
                 {"height", 4},
                 {"width", 5},
                 {"channels", 2},
                 {"outputs", 2},
                 {"kernel_h", 2},
                 {"kernel_w", 3}},
                attributes);
      for (const char* op : {"max_pool2d", "avg_pool2d"}) {
        check_vjp(op, {{"batch", 1}, {"height", 4}, {"width", 5}, {"channels", 2}, {"kernel", 3}},
                  attributes);
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
