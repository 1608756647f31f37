#include "siliconprof/kernels/cpu/pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "engine_agreement.h"
#include "every_op_cases.h"
#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"

namespace siliconprof::cpu {
namespace {

using Dims = std::vector<std::int64_t>;

void expect_pooling_agrees(const Dims& dims, double stride, double padding, Dtype dtype,
                           int threads) {
  const std::vector<double> attributes{stride, padding};
  const double taps = double(dims[4] * dims[4]);
  expect_agreement(kEigenEngine, Example("avg_pool2d", dims, dtype, attributes, 1), threads,
                   taps + 2);
  expect_agreement(kEigenEngine, Example("avg_pool2d_backward", dims, dtype, attributes, 2),
                   threads, taps + 2);
  // Positions anywhere in the plane: as many may meet as there are windows.
  const Example backward("max_pool2d_backward", dims, dtype, attributes, 3);
  expect_agreement(kEigenEngine, backward, threads, double(dims[1] + 2) * double(dims[2] + 2));
  const Example forward("max_pool2d", dims, dtype, attributes, 4);
  SCOPED_TRACE(to_string(forward.call));
  // Positions that pooling found.
  Example after("max_pool2d_backward", dims, dtype, attributes, 5);
  take_forward(after, 0, "max_pool2d", 1, 6);
  expect_agreement(kEigenEngine, after, threads, taps + 2);
  const std::vector<Values> expected =
      define_all(forward.call, {to_values(forward.inputs[0].view())});
  const std::vector<Tensor> found = run_all(kEigenEngine, forward, threads);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(to_values(found[i].view()), expected[i]);
}

TEST(Pool, EveryOpAgreesWithTheDefinitionForRandomShapes) {
  std::mt19937_64 random(77);
  for (int i = 0; i < 60; ++i) {
    for (const Dtype dtype : kCpuDtypes) {
      const auto kernel = std::int64_t(random() % 4) + 1;
      const double padding = double(random() % std::uint64_t(kernel / 2 + 1));
      const double stride = double(random() % 4 + 1);
      const auto length = [&] { return kernel + std::int64_t(random() % 7); };
      expect_pooling_agrees(
          {std::int64_t(random() % 4), length(), length(), std::int64_t(random() % 40), kernel},
          stride, padding, dtype, 1 + int(random() % 3));
    }
  }
}

TEST(Pool, ManyChannelsAndImagesAgreeForAnyThreadCount) {
  for (const int threads : {1, 2, 3}) {
    expect_pooling_agrees({5, 12, 12, 150, 2}, 2, 0, Dtype::Float32, threads);
    expect_pooling_agrees({5, 12, 12, 70, 3}, 1, 1, Dtype::BFloat16, threads);
  }
}

// Equal terms, whose roundings all go one way: a row's are added up before the rows' sums are.
TEST(Pool, TheAverageOfALargeWindowKeepsItsDigits) {
  const Example example("avg_pool2d", {1, 512, 512, 3, 512}, Dtype::Float32, {512, 0}, 1);
  for (std::int64_t i = 0; i < 512 * 512 * 3; ++i) set(example.inputs[0], i, 0.1);
  for (const double y : to_values(run(kEigenEngine, example, 1).view())) {
    EXPECT_NEAR(y, double(0.1F), 0.1 * (2 * 512 + 2) * unit_roundoff(Dtype::Float32));
  }
}

TEST(Pool, APositionPastThePlaneIsRefused) {
  const Example example("max_pool2d_backward", {1, 4, 4, 1, 2}, Dtype::Float32, {2, 0}, 1);
  example.inputs[0].view().as<std::int32_t>()[2] = 16;
  EXPECT_THROW(run(kEigenEngine, example, 1), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
