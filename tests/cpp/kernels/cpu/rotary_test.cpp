#include "siliconprof/kernels/cpu/rotary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine_agreement.h"

namespace siliconprof::cpu {
namespace {

void expect_turned(const std::vector<std::int64_t>& dims, Dtype dtype,
                   const std::vector<double>& attributes, int threads) {
  const Example example("rotary", dims, dtype, attributes, 5);
  SCOPED_TRACE(to_string(example.call));
  const Values x = to_values(example.inputs[0].view());
  const Values exact = define(example.call, {x});
  const Values found = to_values(run(find_engine("openblas"), example, threads).view());
  const std::int64_t head_dim = dims[3];
  const double u = dtype == Dtype::Float64 ? 0x1p-53 : 0x1p-24;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto row = std::int64_t(i) / head_dim * head_dim;
    const std::int64_t pair = row + (std::int64_t(i) - row + head_dim / 2) % head_dim;
    const double size = std::abs(x[i]) + std::abs(x[std::size_t(pair)]);
    ASSERT_LE(std::abs(found[i] - exact[i]),
              4 * u * size + 1.01 * unit_roundoff(dtype) * std::abs(exact[i]) + underflow(dtype))
        << i;
  }
}

TEST(RotaryKernel, AgreesWithTheDefinition) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const int threads : {1, 2, 3}) {
      expect_turned({2, 5, 3, 8}, dtype, {10000, 0}, threads);
      expect_turned({1, 33, 2, 62}, dtype, {10000, 1}, threads);
      expect_turned({1, 33, 2, 62}, dtype, {500, 1}, threads);
      expect_turned({3, 1, 1, 2}, dtype, {10000, 0}, threads);
      expect_turned({2, 0, 3, 4}, dtype, {10000, 0}, threads);
      expect_turned({2, 3, 3, 0}, dtype, {10000, 0}, threads);
    }
  }
}

TEST(RotaryKernel, APollThatStopsTheAnglesLeavesNoneBehind) {
  const Example example("rotary", {1, 5000, 1, 64}, Dtype::Float32, {4321.0, 0}, 5);
  const Poll stop = [] { throw Interrupted(); };
  EXPECT_THROW(run(find_engine("openblas"), example, 1, stop), Interrupted);
  expect_turned({1, 5000, 1, 64}, Dtype::Float32, {4321.0, 0}, 1);
}

}  // namespace
}  // namespace siliconprof::cpu
