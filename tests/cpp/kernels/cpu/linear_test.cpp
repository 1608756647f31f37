#include "siliconprof/kernels/cpu/linear.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"

namespace siliconprof::cpu {
namespace {

using Dims = std::vector<std::int64_t>;

void expect_linear_agrees(const Dims& dims, Dtype dtype, int threads) {
  expect_agreement(kEigenEngine, Example("linear", dims, dtype, {}, 5), threads,
                   double(dims[1] + 1));
}

TEST(Linear, AgreesWithTheDefinitionForRandomShapes) {
  std::mt19937_64 random(99);
  for (int i = 0; i < 60; ++i) {
    for (const Dtype dtype : kCpuDtypes) {
      const auto size = [&] { return std::int64_t(random() % 70); };
      expect_linear_agrees({size(), size(), size()}, dtype, 1 + int(random() % 3));
    }
  }
}

TEST(Linear, DeepWideAndNarrowOnesAgree) {
  for (const Dims& dims : {Dims{3, 40000, 2},
                           {2, 33000, 40},
                           {5, 1500, 300},
                           {300, 1025, 33},
                           {30, 1500, 300},
                           {1, 700, 1000},
                           {900, 20, 1}}) {
    expect_linear_agrees(dims, Dtype::Float32, 2);
    expect_linear_agrees(dims, Dtype::Float16, 2);
  }
}

TEST(Linear, AnyThreadCountGivesTheSameBits) {
  for (const Dims& dims : {Dims{3, 70000, 2}, {5, 1500, 300}, {30, 1500, 300}, {300, 1025, 33}}) {
    const Example example("linear", dims, Dtype::Float32, {}, 3);
    const Tensor one = run(kEigenEngine, example, 1);
    for (const int threads : {2, 3}) {
      const Tensor more = run(kEigenEngine, example, threads);
      EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())), 0)
          << to_string(example.call) << " threads " << threads;
    }
  }
}

OpCall layer(std::int64_t rows, std::int64_t in, std::int64_t out, Dtype dtype) {
  return make_call(find_op("linear"), std::array{rows, in, out}, dtype, {});
}

// They are packed by each thread for itself.
TEST(Linear, PanelsHoldItsWeights) {
  const auto bytes = [](std::int64_t out, Dtype dtype) {
    return linear_panels_bytes(layer(1000, 40, out, dtype), 2);
  };
  EXPECT_EQ(bytes(16, Dtype::Float32), (ScratchBytes{16 * 40 * 4, 16 * 40 * 4}));
  EXPECT_EQ(bytes(16, Dtype::Float64), (ScratchBytes{16 * 40 * 8, 16 * 40 * 8}));
  EXPECT_EQ(linear_panels_bytes(layer(100, 40, 16, Dtype::Float32), 2),
            (ScratchBytes{16 * 40 * 4, 0}))
      << "too little for a second thread";
  EXPECT_EQ(bytes(1, Dtype::Float32), ScratchBytes{}) << "a sum a row";
}

// A cell's rows meet all 640 columns; 16 tiles of 6 of them in vectors of 8 at a time.
TEST(Linear, NarrowVectorsHaveRowsBesideManyPanels) {
  const GemmKernels<float>& kernels = gemm_kernels().float32;
  const std::int64_t rows = kernels.walk.packs_rows ? 16 * 8 * 40 * 4 : 0;
  const std::int64_t panels = 640 * 40 * 4;
  EXPECT_EQ(linear_panels_bytes(layer(1000, 40, 640, Dtype::Float32), 2),
            (ScratchBytes{panels + rows, panels + rows}));
  EXPECT_EQ(linear_panels_bytes(layer(1000, 40, 640, Dtype::Float64), 2),
            (ScratchBytes{2 * (panels + rows), 2 * (panels + rows)}));
}

// Three parts of 13333 terms or one more, in 27 blocks: 7 panels of 16 columns, or 4 of 32, and as
// above; of each its results.
TEST(Linear, ADeepOneKeepsPanelsOfItsParts) {
  const bool packs = gemm_kernels().float32.walk.packs_rows;
  const ScratchBytes bytes = linear_panels_bytes(layer(100, 40000, 100, Dtype::Float32), 2);
  EXPECT_EQ(bytes.caller, bytes.other + 3 * 100 * 100 * 4);
  EXPECT_EQ(bytes.other == (7 * 16 + 16 * 8) * 494 * 4, packs);
  EXPECT_GT(bytes.other, 0);
}

TEST(Linear, AWideOneKeepsWhatThreadsAreAt) {
  const ScratchBytes bytes = linear_panels_bytes(layer(25, 512, 100000, Dtype::Float32), 3);
  EXPECT_GT(bytes.other, 0);
  EXPECT_EQ(bytes.caller, bytes.other);
  EXPECT_LE(bytes.other, std::int64_t{100000} * 512 * 4 / 100);
}

TEST(Linear, OneOfFewRowsOrColumnsKeepsNothing) {
  EXPECT_EQ(linear_panels_bytes(layer(2, 512, 100000, Dtype::Float32), 3), ScratchBytes{});
  EXPECT_EQ(linear_panels_bytes(layer(1000, 512, 3, Dtype::Float64), 3), ScratchBytes{});
}

}  // namespace
}  // namespace siliconprof::cpu
