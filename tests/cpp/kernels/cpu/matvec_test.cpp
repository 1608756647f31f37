#include "siliconprof/kernels/cpu/matvec.h"

#include <gtest/gtest.h>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {
namespace {

// Wide: threads share columns. Narrow: they share rows and sum up.
TEST(Matvec, TransposedHalfProductsAgreeWhereThreadsShareColumnsAndRows) {
  for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
    for (const int threads : {1, 2, 3}) {
      expect_agreement(kEigenEngine, Example("matvec", {37, 4099}, dtype, {1.0}, 1), threads);
      expect_agreement(kEigenEngine, Example("matvec", {9001, 5}, dtype, {1.0}, 2), threads);
      expect_agreement(kEigenEngine, Example("matvec", {9001, 5}, dtype, {0.0}, 3), threads);
      expect_agreement(kEigenEngine, Example("matvec", {3, 70001}, dtype, {0.0}, 4), threads);
    }
  }
}

TEST(Matvec, SumsOverManyRowsOfHalvesLoseNothing) {
  for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
    constexpr std::int64_t m = 1'000'000;
    const Example example("matvec", {m, 2}, dtype, {1.0}, 5);
    for (std::int64_t i = 0; i < 2 * m; ++i) set(example.inputs[0], i, 0.01);
    for (std::int64_t i = 0; i < m; ++i) set(example.inputs[1], i, 1.0);
    const double exact = to_values(example.inputs[0].view())[0] * double(m);
    const Values y = to_values(run(kEigenEngine, example, 1).view());
    EXPECT_NEAR(y[1] / exact, 1.0, 1.1 * unit_roundoff(dtype)) << name(dtype);
  }
}

TEST(Matvec, ANanInAHalfMatrixReachesItsResultAlone) {
  const Example example("matvec", {6, 40}, Dtype::Float16, {0.0}, 5);
  set(example.inputs[0], 2 * 40 + 39, std::numeric_limits<double>::quiet_NaN());
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i == 2);
}

TEST(Matvec, TransposedPanelsAreAddedUp) {
  // More than 256 MiB of float64 would be needed for a second panel; the library is asked through
  // the call instead: accumulate is set from the second panel on.
  static std::vector<std::pair<std::int64_t, bool>> panels;
  panels.clear();
  const ProductFunctions functions{
      .gemm_float32 = nullptr,
      .gemm_float64 = nullptr,
      .gemv_float32 = nullptr,
      .gemv_float64 = [](const GemvCall<double>& g) { panels.emplace_back(g.m, g.accumulate); },
  };
  // No memory is touched by the functions above, so views without memory will do.
  constexpr std::int64_t m = 3;
  constexpr std::int64_t n = std::int64_t{1} << 24;
  for (const double transpose : {0.0, 1.0}) {
    const OpCall call =
        make_call(find_op("matvec"), std::array{m, n}, Dtype::Float64, std::array{transpose});
    const Signature signature = call.op->signature(call);
    const std::array inputs{TensorView{nullptr, Dtype::Float64, signature.inputs[0].shape},
                            TensorView{nullptr, Dtype::Float64, signature.inputs[1].shape}};
    const std::array outputs{TensorView{nullptr, Dtype::Float64, signature.outputs[0].shape}};
    int polls = 0;
    const Poll poll = [&polls] { ++polls; };
    run_matvec(functions, {call, inputs, outputs, 1, poll});
    EXPECT_EQ(polls, 2);
  }
  EXPECT_EQ(panels, (std::vector<std::pair<std::int64_t, bool>>{
                        {2, false}, {1, false}, {2, false}, {1, true}}));
}

}  // namespace
}  // namespace siliconprof::cpu
