#include "siliconprof/kernels/cpu/llama_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine_agreement.h"
#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

/// Runs body(kernels, dtype, n, stream) for every build.
template <class Body>
void for_builds(const Body& body) {
  for (const LlamaKernels* kernels : runnable_llama_kernels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : kCpuDtypes) {
      for (const std::int64_t n : {0, 1, 3, 16, 63, 64, 65, 1000}) {
        for (const bool stream : {false, true}) body(kernels->of(dtype), dtype, n, stream);
      }
    }
  }
}

double sum_roundoff(Dtype dtype) { return dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24; }

TEST(LlamaKernels, EveryBuildGates) {
  for_builds([](const LlamaLoops& loops, Dtype dtype, std::int64_t n, bool stream) {
    const Example example("silu_gate", {n}, dtype, {}, 3);
    const Values exact = define(
        example.call, {to_values(example.inputs[0].view()), to_values(example.inputs[1].view())});
    const Tensor y(dtype, Shape{n});
    loops.gate(example.inputs[0].view().data, example.inputs[1].view().data, y.view().data, n,
               stream);
    const Values found = to_values(y.view());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double error = 16 * sum_roundoff(dtype) + 1.01 * unit_roundoff(dtype);
      ASSERT_LE(std::abs(found[i] - exact[i]), error * std::abs(exact[i]) + underflow(dtype)) << i;
    }
  });
}

TEST(LlamaKernels, EveryBuildGatesBackAlsoInPlace) {
  for_builds([](const LlamaLoops& loops, Dtype dtype, std::int64_t n, bool stream) {
    const Example example("silu_gate_backward", {n}, dtype, {}, 4);
    std::vector<Values> in;
    for (const Tensor& tensor : example.inputs) in.push_back(to_values(tensor.view()));
    const std::vector<Values> exact = define_all(example.call, in);
    const std::vector<TensorView> views = example.views();
    loops.gate_backward(views[0].data, views[1].data, views[2].data, views[0].data, views[1].data,
                        n, stream);
    const Values dgate = to_values(views[0]);
    const Values dup = to_values(views[1]);
    for (std::size_t i = 0; i < dgate.size(); ++i) {
      const double s = 1 / (1 + std::exp(-in[0][i]));
      const double size = std::abs(in[2][i] * in[1][i]) * (s + std::abs(in[0][i]) * s);
      const double u = sum_roundoff(dtype);
      ASSERT_LE(
          std::abs(dgate[i] - exact[0][i]),
          20 * u * size + 1.01 * unit_roundoff(dtype) * std::abs(exact[0][i]) + underflow(dtype));
      ASSERT_LE(std::abs(dup[i] - exact[1][i]),
                (16 * u + 1.01 * unit_roundoff(dtype)) * std::abs(exact[1][i]) + underflow(dtype));
    }
  });
}

// A quarter turn takes (a, b) to (-b, a), exactly.
TEST(LlamaKernels, EveryBuildTurnsHalvesOfRows) {
  for_builds([](const LlamaLoops& loops, Dtype dtype, std::int64_t half, bool stream) {
    constexpr std::int64_t rows = 3;
    Tensor x(dtype, Shape{rows, 2, half});
    x.fill_uniform(7);
    const Tensor y(dtype, Shape{rows, 2, half});
    const std::vector<double> ones(std::size_t(half), 1.0);
    const std::vector<double> zeros(std::size_t(half), 0.0);
    const std::vector<float> float_ones(std::size_t(half), 1.0F);
    const std::vector<float> float_zeros(std::size_t(half), 0.0F);
    const bool wide = dtype == Dtype::Float64;
    const void* cosines = wide ? static_cast<const void*>(zeros.data()) : float_zeros.data();
    const void* sines = wide ? static_cast<const void*>(ones.data()) : float_ones.data();
    loops.turn(x.view().data, cosines, sines, y.view().data, rows, half, stream);
    const Values before = to_values(x.view());
    const Values after = to_values(y.view());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < half; ++i) {
        const auto a = std::size_t(row * 2 * half + i);
        const auto b = a + std::size_t(half);
        ASSERT_EQ(after[a], -before[b]);
        ASSERT_EQ(after[b], before[a]);
      }
    }
  });
}

TEST(LlamaKernels, TheGenericBuildRunsEverywhereAndTheBestComesFirst) {
  EXPECT_EQ(runnable_llama_kernels().back()->instruction_set, "generic");
  EXPECT_EQ(&llama_kernels(), runnable_llama_kernels().front());
  EXPECT_THROW(llama_kernels().of(Dtype::Int32), DtypeError);
}

}  // namespace
}  // namespace siliconprof::cpu
