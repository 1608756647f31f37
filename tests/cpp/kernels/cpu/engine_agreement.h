#pragma once

// Holds an engine's kernels to the definitions, within what rounding can explain.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "siliconprof/core/half.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/ops/table.h"

namespace siliconprof::cpu {

using Values = std::vector<double>;

inline Values to_values(const TensorView& view) {
  if (view.dtype == Dtype::Int32) {
    const auto* index = view.as<const std::int32_t>();
    return {index, index + view.elements()};
  }
  Values values;
  with_element_type(view.dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < view.elements(); ++i) {
      values.push_back(static_cast<double>(view.as<const T>()[i]));
    }
  });
  return values;
}

/// An op call with inputs that are uniform in [-1, 1), indices uniform where they may lie.
struct Example {
  OpCall call;
  std::vector<Tensor> inputs;

  Example(std::string_view op, const std::vector<std::int64_t>& dims, Dtype dtype,
          const std::vector<double>& attributes, std::uint64_t seed)
      : call(make_call(find_op(op), dims, dtype, attributes)) {
    for (const Slot& slot : call.op->signature(call).inputs) {
      Tensor& tensor = inputs.emplace_back(slot.dtype_in(call), slot.shape);
      if (slot.dtype_in(call) == Dtype::Int32) {
        tensor.fill_indices(slot.index_limit, seed++);
      } else {
        tensor.fill_uniform(seed++);
      }
    }
  }

  std::vector<TensorView> views() const {
    std::vector<TensorView> all;
    for (const Tensor& tensor : inputs) all.push_back(tensor.view());
    return all;
  }
};

/// All outputs.
inline std::vector<Tensor> run_all(const Engine& engine, const Example& example, int threads,
                                   const Poll& poll = {}) {
  std::vector<Tensor> outputs;
  std::vector<TensorView> views;
  for (const Slot& slot : example.call.op->signature(example.call).outputs) {
    const TensorView& view = outputs.emplace_back(slot.dtype_in(example.call), slot.shape).view();
    // What is left in memory must not show in the result.
    std::memset(view.data, 0xff, std::size_t(view.bytes()));
    views.push_back(view);
  }
  find_kernel(engine, example.call).run({example.call, example.views(), views, threads, poll});
  return outputs;
}

/// The first output.
inline Tensor run(const Engine& engine, const Example& example, int threads,
                  const Poll& poll = {}) {
  return std::move(run_all(engine, example, threads, poll).front());
}

/// Operands of a definition (definition.h) in float64.
struct ValueOperands {
  using Acc = double;
  std::vector<Values> inputs;
  std::vector<Values> outputs;
  std::vector<std::vector<std::int32_t>> index_inputs;
  std::vector<std::vector<std::int32_t>> index_outputs;

  static void step(std::int64_t) {}
  const double* in(std::size_t i) const { return inputs[i].data(); }
  double* out(std::size_t i) { return outputs[i].data(); }
  template <class T>
  auto* in_as(std::size_t i) const {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      return index_inputs[i].data();
    } else {
      return inputs[i].data();
    }
  }
  template <class T>
  auto* out_as(std::size_t i) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      return index_outputs[i].data();
    } else {
      return outputs[i].data();
    }
  }
};

/// Runs the call's definition; false for an op that has none. Compiled once, in
/// reference/definitions.cpp.
bool define(const OpCall& call, ValueOperands& operands);

/// All outputs of the definition in float64; indices as numbers.
inline std::vector<Values> define_all(const OpCall& call, const std::vector<Values>& in) {
  const Signature signature = call.op->signature(call);
  ValueOperands operands{in, {}, {}, {}};
  for (const Values& values : in) operands.index_inputs.emplace_back(values.begin(), values.end());
  for (const Slot& slot : signature.outputs) {
    operands.outputs.emplace_back(std::size_t(slot.shape.elements()));
    operands.index_outputs.emplace_back(std::size_t(slot.shape.elements()));
  }
  EXPECT_TRUE(define(call, operands)) << "no definition of " << call.op->name;
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    if (signature.outputs[i].dtype_in(call) != Dtype::Int32) continue;
    operands.outputs[i].assign(operands.index_outputs[i].begin(), operands.index_outputs[i].end());
  }
  return operands.outputs;
}

/// The first output.
inline Values define(const OpCall& call, const std::vector<Values>& in) {
  return define_all(call, in).front();
}

/// Half the distance from 1 to the next number.
inline double unit_roundoff(Dtype dtype) {
  static const std::map<Dtype, double> roundoffs{{Dtype::Float64, 0x1p-53},
                                                 {Dtype::Float32, 0x1p-24},
                                                 {Dtype::Float16, 0x1p-11},
                                                 {Dtype::BFloat16, 0x1p-8}};
  return roundoffs.at(dtype);
}

/// Half the smallest positive number of the format.
inline double underflow(Dtype dtype) {
  return dtype == Dtype::Float16 ? 0x1p-25 : dtype == Dtype::BFloat16 ? 0x1p-134 : 0x1p-150;
}

/// Terms summed into one element of the result.
inline double terms(const OpCall& call) {
  if (call.op->name == "matmul") return double(call.dims[2]);
  if (call.op->name == "matvec") return double(call.dims[is_set(call.attributes[0]) ? 0 : 1]);
  if (call.op->name == "sum") return double(call.dims[1]);
  return 2.0;
}

/// Expects each element within γ(k)·Σ|terms| of the definition in float64, in any order of
/// summation, plus one rounding to the output's format (Higham, Accuracy and Stability, 3.1);
/// twice γ for float64, where the definition is rounded alike.
/// `term_count` stands in for terms(call).
inline void expect_agreement(const Engine& engine, const Example& example, int threads,
                             double term_count = 0) {
  const OpCall& call = example.call;
  SCOPED_TRACE(std::string(engine.name) + " " + to_string(call) + " attributes " +
               std::to_string(call.attributes[0]) + " " + std::to_string(call.attributes[1]) +
               " threads " + std::to_string(threads));
  std::vector<Values> in;
  std::vector<Values> magnitudes;
  for (const Tensor& tensor : example.inputs) {
    in.push_back(to_values(tensor.view()));
    magnitudes.push_back(in.back());
    for (double& value : magnitudes.back()) value = std::abs(value);
  }
  OpCall magnitude_call = call;
  for (double& attribute : magnitude_call.attributes) attribute = std::abs(attribute);
  const Values exact = define(call, in);
  const Values size = define(magnitude_call, magnitudes);
  const Values found = to_values(run(engine, example, threads).view());

  const double u_sum = call.dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
  const double ku = (term_count > 0 ? term_count : terms(call)) * u_sum;
  const double gamma = ku / (1 - ku) * (call.dtype == Dtype::Float64 ? 2 : 1);
  const double u = unit_roundoff(call.dtype);
  ASSERT_EQ(found.size(), exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double sum_error = gamma * size[i];
    const double bound = sum_error + u * (std::abs(exact[i]) + sum_error) + underflow(call.dtype);
    ASSERT_LE(std::abs(found[i] - exact[i]), bound) << "element " << i << " of " << exact.size();
  }
}

inline constexpr std::array<Dtype, 4> kCpuDtypes{Dtype::Float64, Dtype::Float32, Dtype::Float16,
                                                 Dtype::BFloat16};

/// Matrix products of random sizes, 1 and odd ones among them, in all storages and dtypes.
inline void expect_products_agree(const Engine& engine, int cases) {
  std::mt19937_64 random(20240607);
  const auto size = [&random](std::int64_t most) {
    return random() % 4 == 0 ? 1 : std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (int i = 0; i < cases; ++i) {
    for (const Dtype dtype : kCpuDtypes) {
      const std::vector<double> transposes{double(random() % 2), double(random() % 2)};
      const int threads = 1 + int(random() % 3);
      expect_agreement(
          engine,
          Example("matmul", {size(6), size(90), size(90), size(90)}, dtype, transposes, random()),
          threads);
      expect_agreement(engine,
                       Example("matvec", {size(300), size(300)}, dtype, {transposes[0]}, random()),
                       threads);
    }
  }
}

/// The ops that the engines share, at sizes around vector widths and cache lines.
inline void expect_vector_ops_agree(const Engine& engine) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const int threads : {1, 2}) {
      for (const std::int64_t n : {1, 3, 16, 63, 64, 65, 1000}) {
        expect_agreement(engine, Example("copy", {n}, dtype, {}, 1), threads);
        expect_agreement(engine, Example("add", {n}, dtype, {}, 2), threads);
        expect_agreement(engine, Example("scale", {n}, dtype, {-1.75}, 3), threads);
        expect_agreement(engine, Example("triad", {n}, dtype, {0.3125}, 4), threads);
        expect_agreement(engine, Example("outer", {7, n}, dtype, {}, 5), threads);
        expect_agreement(engine, Example("outer", {n, 7}, dtype, {}, 6), threads);
      }
    }
  }
}

/// Softmax and its gradient against the definition in float64. Terms are positive, so the error is
/// relative: that of an exponential (2 units) and of a difference of inputs in [-1, 1), twice (also
/// in the sum), the sum's own and two more roundings; the gradient's is relative to
/// |y|·(|dy| + Σ|y·dy|).
inline void expect_softmax_agrees(const Engine& engine, const std::vector<std::int64_t>& dims,
                                  Dtype dtype, int threads, std::uint64_t seed) {
  const Example forward("softmax", dims, dtype, {}, seed);
  const Example backward("softmax_backward", dims, dtype, {}, seed);
  SCOPED_TRACE(std::string(engine.name) + " " + to_string(forward.call));
  const double u_sum = dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
  const double error = 2 * (16.0 + double(dims[1])) * u_sum;
  const double u = 1.01 * unit_roundoff(dtype);
  const Values y = define(forward.call, {to_values(forward.inputs[0].view())});
  const Values found = to_values(run(engine, forward, threads).view());
  for (std::size_t i = 0; i < y.size(); ++i) {
    ASSERT_LE(std::abs(found[i] - y[i]), (error + u) * y[i] + underflow(dtype)) << i;
  }
  std::vector<Values> in{to_values(backward.inputs[0].view()),
                         to_values(backward.inputs[1].view())};
  const Values dx = define(backward.call, in);
  for (Values& values : in) {
    for (double& value : values) value = std::abs(value);
  }
  for (double& value : in[0]) value = -value;  // |y|·(|dy| + Σ|y·dy|) with the sign turned
  const Values size = define(backward.call, in);
  const Values slopes = to_values(run(engine, backward, threads).view());
  for (std::size_t i = 0; i < dx.size(); ++i) {
    ASSERT_LE(std::abs(slopes[i] - dx[i]),
              error * std::abs(size[i]) + u * std::abs(dx[i]) + underflow(dtype))
        << i;
  }
}

/// Ops along an axis of random shapes, length 1 among them.
inline void expect_axis_ops_agree(const Engine& engine, int cases) {
  std::mt19937_64 random(20250131);
  const auto size = [&random](std::int64_t most) {
    return random() % 4 == 0 ? 1 : std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (int i = 0; i < cases; ++i) {
    for (const Dtype dtype : kCpuDtypes) {
      const int threads = 1 + int(random() % 3);
      const std::vector<std::int64_t> dims{size(30), size(90), size(40)};
      for (const char* op : {"sum", "broadcast"}) {
        expect_agreement(engine, Example(op, dims, dtype, {}, random()), threads);
      }
      expect_softmax_agrees(engine, dims, dtype, threads, random());
    }
  }
}

template <class T>
void set(const Tensor& tensor, std::int64_t index, T value) {
  with_element_type(tensor.view().dtype,
                    [&]<class E>() { tensor.view().as<E>()[index] = E(float(value)); });
}

/// One NaN of A spoils its row of C, one infinity of B its column, and nothing else.
inline void expect_nan_and_infinity_stay_in_place(const Engine& engine) {
  constexpr std::int64_t m = 9;
  constexpr std::int64_t k = 21;
  constexpr std::int64_t n = 19;
  for (const Dtype dtype : kCpuDtypes) {
    const Example example("matmul", {1, m, k, n}, dtype, {0, 0}, 77);
    set(example.inputs[0], 4 * k + 20, std::numeric_limits<double>::quiet_NaN());
    set(example.inputs[1], 3 * n + 18, std::numeric_limits<double>::infinity());
    const Values c = to_values(run(engine, example, 2).view());
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const double value = c[std::size_t(i * n + j)];
        EXPECT_EQ(std::isnan(value), i == 4) << i << " " << j;
        EXPECT_EQ(std::isinf(value), i != 4 && j == 18) << i << " " << j;
      }
    }
  }
}

/// A poll that throws ends products that are long enough to be waited for.
inline void expect_a_poll_can_stop_a_product(const Engine& engine) {
  const Example example("matmul", {3, 800, 800, 800}, Dtype::Float32, {0, 0}, 5);
  const Poll stop = [] { throw Interrupted(); };
  EXPECT_THROW(run(engine, example, 1, stop), Interrupted);
}

}  // namespace siliconprof::cpu
