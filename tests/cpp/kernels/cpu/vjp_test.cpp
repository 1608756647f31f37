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

std::vector<TensorView> views(const Trace& trace, Values& values) {
  std::vector<TensorView> all;
  for (const TensorInfo& info : trace.tensors()) {
    if (info.role != Role::Input) continue;
    all.push_back({values[all.size()].data(), info.dtype, info.shape});
  }
  return all;
}

Values run(const Trace& trace, Values inputs) {
  const BoundTrace bound(trace, find_engine("reference"), 1, views(trace, inputs));
  for (std::size_t call = 0; call < trace.calls().size(); ++call) bound.run(call, kNoPoll);
  Values results;
  for (const TensorId id : result_ids(trace)) {
    const TensorView& view = bound.view(id);
    results.emplace_back(view.as<double>(), view.as<double>() + view.elements());
  }
  return results;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

Values random_inputs(const Trace& trace) {
  Values values;
  for (const TensorInfo& info : trace.tensors()) {
    if (info.role != Role::Input) continue;
    Tensor tensor(Dtype::Float64, info.shape);
    tensor.fill_uniform(100 + values.size());
    const auto* data = tensor.view().as<double>();
    values.emplace_back(data, data + tensor.view().elements());
  }
  return values;
}

/// Predictions and targets of a cross-entropy lie between 0 and 1.
void fit_domain(std::string_view op, Values& inputs) {
  if (op != "bce") return;
  for (std::vector<double>& values : inputs) {
    for (double& value : values) value = 0.5 + 0.4 * value;
  }
}

/// Central differences are exact up to rounding where an op is at most bilinear (on each side of a
/// kink); else off by h²/6 of a third derivative.
double tolerance(std::string_view op) {
  if (op == "bce") return 1e-6;
  for (const std::string_view curved :
       {"selu", "sigmoid", "softplus", "gelu_erf", "gelu_tanh", "silu", "softmax"}) {
    if (op == curved) return 1e-8;
  }
  return 1e-9;
}

void check_vjp(std::string_view op, const Dims& dims, const Attributes& attributes) {
  const Trace forward = single_op(op, dims, Dtype::Float64, attributes, false);
  const Trace backward = single_op(op, dims, Dtype::Float64, attributes, true);
  Values inputs = random_inputs(forward);
  fit_domain(op, inputs);
  Values with_cotangent = random_inputs(backward);
  std::copy(inputs.begin(), inputs.end(), with_cotangent.begin());
  const std::vector<double> cotangent = with_cotangent.back();
  const Values gradients = run(backward, with_cotangent);
  ASSERT_EQ(gradients.size(), inputs.size()) << op;
  const double h = 1e-4;
  for (std::size_t which = 0; which < inputs.size(); ++which) {
    for (std::size_t i = 0; i < inputs[which].size(); ++i) {
      Values up = inputs;
      Values down = inputs;
      up[which][i] += h;
      down[which][i] -= h;
      const double slope =
          (dot(run(forward, up)[0], cotangent) - dot(run(forward, down)[0], cotangent)) / (2 * h);
      EXPECT_NEAR(gradients[which][i], slope, tolerance(op))
          << op << " input " << which << " [" << i << "]";
    }
  }
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

TEST(Vjp, EveryOpAgreesWithCentralDifferencesAtItsDefaults) {
  for (const Op* op : all_ops()) {
    if (op->vjp == nullptr) continue;  // the backward ops
    Dims dims;
    std::int64_t size = 2;
    for (const auto dim : op->dim_names) dims[std::string(dim)] = size++;
    check_vjp(op->name, dims, {});
  }
}

}  // namespace
}  // namespace siliconprof::cpu
