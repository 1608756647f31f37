#pragma once

// Holds kernels of optimizers, clipping, loss scaling and dropout to their definitions in float64.

#include <algorithm>
#include <string>
#include <vector>

#include "engine_agreement.h"

namespace siliconprof::cpu {

/// Second moments, sums of squares and scales are positive; nothing is found yet.
inline Example training_example(std::string_view op, const std::vector<std::int64_t>& dims,
                                Dtype dtype, const std::vector<double>& attributes,
                                std::uint64_t seed) {
  Example example(op, dims, dtype, attributes, seed);
  const auto change = [&](std::size_t which, auto&& function) {
    const TensorView& view = example.inputs[which].view();
    with_element_type(view.dtype, [&]<class T>() {
      for (std::int64_t i = 0; i < view.elements(); ++i) {
        view.as<T>()[i] = T(function(double(view.as<T>()[i])));
      }
    });
  };
  const auto size = [](double x) { return std::abs(x); };
  if (op == "adamw") change(3, size);
  if (op == "square_sum" || op == "clip") change(1, size);
  if (op == "unscale") change(1, [](double) { return 1024.0; });
  if (op == "unscale") change(2, [](double) { return 0.0; });
  return example;
}

/// Roundings of one element: every operation of the formula and every constant in it. One lane of
/// the narrowest vectors adds up to 2048 squares of a block, blocks are added in float64.
inline double training_roundings(const OpCall& call) {
  if (call.op->name == "adamw") return 16.0;
  if (call.op->name == "sgd") return 10.0;
  if (call.op->name == "square_sum")
    return 4.0 + double(std::min<std::int64_t>(call.dims[0], 2048));
  return 4.0;
}

/// What the formula adds up, with every sign turned to plus: the definition of the sizes with a
/// negative rate.
inline std::vector<Values> training_sizes(const OpCall& call, std::vector<Values> in) {
  for (Values& values : in) {
    for (double& value : values) value = std::abs(value);
  }
  OpCall turned = call;
  if (call.op->name == "adamw" || call.op->name == "sgd") turned.attributes[0] *= -1;
  return define_all(turned, in);
}

inline std::vector<Values> input_values(const Example& example) {
  std::vector<Values> in;
  for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
  return in;
}

inline void expect_training_agreement(const OpCall& call, const std::vector<Values>& in,
                                      const std::vector<TensorView>& outputs) {
  SCOPED_TRACE(to_string(call));
  const std::vector<Values> exact = define_all(call, in);
  const std::vector<Values> sizes = training_sizes(call, in);
  const double u = (call.dtype == Dtype::Float64 ? 2 * 0x1p-53 : 0x1p-24);
  const double roundings = training_roundings(call);
  for (std::size_t o = 0; o < exact.size(); ++o) {
    const Values found = to_values(outputs[o]);
    const Dtype dtype = outputs[o].dtype;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double bound = roundings * u * sizes[o][i] +
                           1.01 * unit_roundoff(dtype) * std::abs(exact[o][i]) + underflow(dtype);
      ASSERT_LE(std::abs(found[i] - exact[o][i]), bound)
          << "output " << o << " element " << i << " exact " << exact[o][i];
      if (call.op->name == "dropout" && in[0][i] != 0.0 && std::abs(exact[o][i]) > 1e-6) {
        ASSERT_NE(found[i], 0.0) << i;
      }
    }
  }
}

/// The engine's outputs, and those in place, for 1 to 3 threads: right, and the same bits.
inline void expect_training_op_agrees(const Engine& engine, std::string_view op,
                                      const std::vector<std::int64_t>& dims, Dtype dtype,
                                      const std::vector<double>& attributes, std::uint64_t seed,
                                      const std::vector<std::size_t>& updated) {
  const Example example = training_example(op, dims, dtype, attributes, seed);
  const std::vector<Values> in = input_values(example);
  const std::vector<Tensor> outputs = run_all(engine, example, 1);
  std::vector<TensorView> first;
  for (const Tensor& output : outputs) first.push_back(output.view());
  expect_training_agreement(example.call, in, first);
  for (const int threads : {1, 2, 3}) {
    const Example again = training_example(op, dims, dtype, attributes, seed);
    const std::vector<TensorView> views = again.views();
    std::vector<TensorView> in_place;
    for (const std::size_t i : updated) in_place.push_back(views[i]);
    find_kernel(engine, again.call).run({again.call, views, in_place, threads, {}});
    for (std::size_t o = 0; o < first.size(); ++o) {
      ASSERT_EQ(std::memcmp(in_place[o].data, first[o].data, std::size_t(first[o].bytes())), 0)
          << to_string(example.call) << " output " << o << " threads " << threads;
    }
  }
}

}  // namespace siliconprof::cpu
