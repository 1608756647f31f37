#include "siliconprof/kernels/cpu/scatter_reduction.h"

#include "exact_agreement.h"

namespace siliconprof::cpu {
namespace {

// In blocks (many updates for each row) and row by row; whole vectors and odd columns.
const std::vector<std::vector<std::int64_t>> kShapes{
    {1, 1, 1},       {7, 20, 1},   {9, 3000, 3}, {40, 7, 77},    {64, 5000, 16},
    {3, 5000, 32},   {5, 0, 4},    {0, 0, 4},    {3, 8, 0},      {4, 100, 8},
    {2000, 100, 33}, {1, 1000, 5}, {1, 1, 1000}, {50, 2000, 64}, {5000, 30, 70}};

// Each order of n additions is within γ(n)·Σ|x| of the exact sum (Higham, 4.2).
void expect_sum_agreement(const Example& example, std::size_t updates) {
  const OpCall& call = example.call;
  const std::int64_t columns = call.dims[2];
  const Values x = to_values(example.inputs[updates].view());
  const auto* index = example.inputs[1 - updates].view().as<std::int32_t>();
  std::vector<long double> exact(std::size_t(call.dims[0] * columns));
  Values size(exact.size());
  std::vector<double> terms(exact.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t to =
        std::size_t(index[std::int64_t(i) / columns] * columns) + i % std::size_t(columns);
    exact[to] += x[i];
    size[to] += std::abs(x[i]);
    ++terms[to];
  }
  const double u_sum = call.dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
  const Values one = to_values(run(kEigenEngine, example, 1).view());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = 1.001 * terms[i] * u_sum * size[i];
    const double bound = error + unit_roundoff(call.dtype) * (std::abs(double(exact[i])) + error) +
                         underflow(call.dtype);
    ASSERT_LE(std::abs(double(one[i] - exact[i])), bound) << to_string(call) << " " << i;
  }
  for (const int threads : {2, 3}) {
    EXPECT_EQ(to_values(run(kEigenEngine, example, threads).view()), one) << to_string(call);
  }
}

TEST(ScatterReduction, SumsAreRightWithinRoundingAndTheSameForAnyThreadCount) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      expect_sum_agreement(Example("scatter_sum", dims, dtype, {}, 5), 0);
      expect_sum_agreement(Example("embedding_backward", dims, dtype, {}, 6), 1);
    }
  }
}

TEST(ScatterReduction, AnEmbeddingsGradientIsAddedToWhatIsThere) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("embedding_backward_add", dims, dtype, {}, 7);
      const double most_terms = double(dims[1] + 2);
      for (const int threads : {1, 2, 3}) {
        expect_agreement(kEigenEngine, example, threads, most_terms);
      }
      // In place the same, and what has no index is not touched.
      const Values apart = to_values(run(kEigenEngine, example, 2).view());
      const TensorView sum = example.inputs[0].view();
      const std::vector<TensorView> inputs = example.views();
      const std::vector<TensorView> outputs{sum};
      find_kernel(kEigenEngine, example.call).run({example.call, inputs, outputs, 2, {}});
      EXPECT_EQ(to_values(sum), apart) << to_string(example.call);
    }
  }
}

TEST(ScatterReduction, MaximaAgreeWithTheDefinition) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("scatter_max", dims, dtype, {}, 5);
      expect_exact_agreement(example);
      make_special(example);
      expect_exact_agreement(example);
    }
  }
}

TEST(ScatterReduction, ANanAndAnInfinityReachTheirOwnSumOnly) {
  for (const std::int64_t count : {20, 3000}) {
    const Example example("scatter_sum", {4, count, 5}, Dtype::Float32, {}, 2);
    auto* index = example.inputs[1].view().as<std::int32_t>();
    index[3] = 1;
    index[7] = 2;
    set(example.inputs[0], 3 * 5 + 4, std::nan(""));
    set(example.inputs[0], 7 * 5, INFINITY);
    const Values y = to_values(run(kEigenEngine, example, 2).view());
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(std::isnan(y[i]), i == 9);
      EXPECT_EQ(std::isinf(y[i]), i == 10);
    }
  }
}

// As a padding token's: one row gets nearly all of the updates of a large table.
TEST(ScatterReduction, ARowOfManyUpdatesIsAsExactAsOthers) {
  constexpr std::int64_t rows = 200'000;  // too many for tables of blocks
  constexpr std::int64_t count = 1'000'000;
  const Example example("scatter_sum", {rows, count, 1}, Dtype::Float32, {}, 2);
  auto* index = example.inputs[1].view().as<std::int32_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    index[i] = 7;
    set(example.inputs[0], i, 0.1F);
  }
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  EXPECT_NEAR(y[7] / (double(0.1F) * double(count)), 1.0, 1e-4);  // one by one: 1e-2 off
}

// A row whose largest update is -inf keeps it; a row without an update is 0.
TEST(ScatterReduction, MinusInfinityIsNoMissingUpdate) {
  const Example example("scatter_max", {3, 1000, 2}, Dtype::Float32, {}, 2);
  auto* index = example.inputs[1].view().as<std::int32_t>();
  for (std::int64_t i = 0; i < 1000; ++i) {
    index[i] = i % 2 == 0 ? 0 : 2;
    if (i % 2 == 0) set(example.inputs[0], 2 * i, -INFINITY);
    if (i % 2 == 0) set(example.inputs[0], 2 * i + 1, -INFINITY);
  }
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  EXPECT_EQ(y[0], -INFINITY);
  EXPECT_EQ(y[1], -INFINITY);
  EXPECT_EQ(y[2], 0.0);
  EXPECT_GT(y[4], 0.0);
}

}  // namespace
}  // namespace siliconprof::cpu
