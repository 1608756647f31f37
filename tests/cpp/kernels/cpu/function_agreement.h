#pragma once

// Holds kernels of element_functions.inc to its definitions in float64.

#include <algorithm>
#include <string>

#include "engine_agreement.h"

namespace siliconprof::cpu {

/// Whether one number comes of all elements.
inline bool is_sum(const OpCall& call) {
  return call.op->name == "bce" || call.op->name == "prelu_weight_backward";
}

/// Predictions and targets from 0 to 1, the ends and what lies beside them included.
inline void fit_probabilities(Example& example) {
  const std::size_t pairs = example.inputs.size() - (example.call.op->name == "bce" ? 0 : 1);
  constexpr std::array<double, 4> special{0.0, 1.0, 1e-6, 0.998};
  for (std::size_t which = 0; which < pairs; ++which) {
    const TensorView& view = example.inputs[which].view();
    with_element_type(view.dtype, [&]<class T>() {
      for (std::int64_t i = 0; i < view.elements(); ++i) {
        T& value = view.as<T>()[i];
        value = T(std::abs(double(value)));
        if (which == 0 && i % 11 == 5) value = T(special[std::size_t(i / 11) % special.size()]);
      }
    });
  }
}

/// Gives the first input sizes from 1e-6 to 100, and what is special to every format.
inline void spread(Example& example) {
  if (example.call.op->name.starts_with("bce")) return fit_probabilities(example);
  const TensorView& x = example.inputs[0].view();
  constexpr std::array<double, 6> scales{1e-6, 0.1, 1.0, 5.0, 20.0, 100.0};
  const double inf = std::numeric_limits<double>::infinity();
  const std::array<double, 13> special{inf,    -inf, std::nan(""), 0.0,   -0.0, 1e-40, -1e-40,
                                       6.1e-5, 20.5, 88.8,         -90.0, 19.9, -103.0};
  with_element_type(x.dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      T& value = x.as<T>()[i];
      value = T(double(value) * scales[std::size_t(i) % scales.size()]);
      if (!is_sum(example.call) && i % 7 == 3)
        value = T(special[std::size_t(i / 7) % special.size()]);
    }
  });
}

/// Functions whose formula subtracts nearly equal numbers are right to the size of those.
inline double cancelled(const OpCall& call, const std::vector<Values>& in, std::size_t i) {
  const std::string op(call.op->name);
  const double x = in[0][i];
  if (op.starts_with("gelu") || op == "sigmoid_backward" || op == "silu_backward") {
    return 1.0 + std::min(x * x, 100.0);
  }
  if (op == "bce_target_backward") return std::abs(in[1][0]) / double(call.dims[0]);
  if (op != "prelu_weight_backward") return 0.0;
  double size = 0.0;
  for (std::size_t j = 0; j < in[0].size(); ++j) size += std::abs(in[0][j] * in[1][j]);
  return size;
}

/// Expects `found` within 12 roundings of the definition in float64, plus that of the format.
inline void expect_function_agreement(const Example& example, const TensorView& found_view) {
  const OpCall& call = example.call;
  SCOPED_TRACE(to_string(call));
  std::vector<Values> in;
  for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
  const Values exact = define(call, in);
  const Values found = to_values(found_view);
  const bool is_double = call.dtype == Dtype::Float64;
  const double u = is_double ? 0x1p-53 : 0x1p-24;
  // exp(-x) overflows before what is divided by it is too small for the format.
  const double tiny = is_double ? 1e-305 : 1e-36;
  // One lane of the narrowest vectors adds up to 2048 elements of a block.
  const double roundings =
      is_sum(call) ? 12.0 + double(std::min<std::int64_t>(call.dims[0], 2048)) : 12.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double size = std::abs(exact[i]) + cancelled(call, in, i);
    const double bound = roundings * u * size + tiny +
                         unit_roundoff(call.dtype) * std::abs(exact[i]) + underflow(call.dtype);
    if (call.dtype == Dtype::Float16 && std::abs(exact[i]) > 65519.0) {
      ASSERT_TRUE(std::isinf(found[i])) << "x " << in[0][i] << " found " << found[i];
    } else if (std::isfinite(exact[i])) {
      ASSERT_LE(std::abs(found[i] - exact[i]), bound) << "x " << in[0][i] << " exact " << exact[i];
    } else if (std::isnan(exact[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << "x " << in[0][i] << " found " << found[i];
    } else {
      ASSERT_EQ(found[i], exact[i]) << "x " << in[0][i];
    }
  }
}

}  // namespace siliconprof::cpu
