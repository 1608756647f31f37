#include "siliconprof/kernels/cpu/initial_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "siliconprof/kernels/cpu/bound_trace.h"

namespace siliconprof::cpu {
namespace {

std::vector<double> filled(const std::string& name, const Shape& shape, Initial initial,
                           int threads = 1) {
  const TensorInfo info{.name = name,
                        .shape = shape,
                        .dtype = Dtype::Float64,
                        .role = Role::Parameter,
                        .initial = initial};
  const Tensor tensor(info.dtype, shape);
  fill_initial(tensor.view(), info, threads, {});
  const auto* data = tensor.view().as<double>();
  return {data, data + shape.elements()};
}

TEST(InitialValues, AConstantIsEverywhere) {
  EXPECT_EQ(filled("x", {3}, {Initial::Kind::Constant, 2.5}), (std::vector<double>(3, 2.5)));
}

TEST(InitialValues, UniformNumbersFillTheirInterval) {
  const auto values = filled("x", {100000}, {Initial::Kind::Uniform, 0.5});
  double sum = 0.0;
  for (const double value : values) {
    ASSERT_LE(std::abs(value), 0.5);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 0.0, 5 * 0.5 / std::sqrt(3.0) / std::sqrt(100000));
}

TEST(InitialValues, NormalNumbersHaveTheirDeviation) {
  const auto values = filled("x", {100000}, {Initial::Kind::Normal, 0.02});
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
    ASSERT_LE(std::abs(value), 0.02 * 3.47);
  }
  EXPECT_NEAR(sum / 100000, 0.0, 5 * 0.02 / std::sqrt(100000));
  EXPECT_NEAR(std::sqrt(squares / 100000), 0.02, 0.0005);
}

TEST(InitialValues, SinusoidsAreThoseOfWhisper) {
  const auto values = filled("x", {2, 4}, {Initial::Kind::Sinusoids, 1.0});
  EXPECT_EQ(values[0], 0.0);
  EXPECT_EQ(values[2], 1.0);
  EXPECT_NEAR(values[4], std::sin(1.0), 1e-7);
  EXPECT_NEAR(values[5], std::sin(1.0 / 10000), 1e-7);
  EXPECT_NEAR(values[6], std::cos(1.0), 1e-7);
}

TEST(InitialValues, DependOnTheNameAlone) {
  const Initial normal{Initial::Kind::Normal, 1.0};
  EXPECT_EQ(filled("a", {50000}, normal), filled("a", {50000}, normal, 2));
  EXPECT_NE(filled("a", {5}, normal), filled("b", {5}, normal));
  EXPECT_NE(name_seed("a"), name_seed("b"));
}

TEST(InitialValues, WhereNothingIsSaidTensorsGetOneSequenceOfUniformNumbers) {
  for (const Dtype dtype : {Dtype::Float64, Dtype::Float32, Dtype::Float16, Dtype::BFloat16}) {
    Tensor expected(dtype, {50001});
    expected.fill_uniform(name_seed("x"));
    const Tensor found(dtype, {50001});
    fill_initial(found.view(), {"x", {50001}, dtype, Role::Input}, 3, {});
    EXPECT_EQ(
        std::memcmp(found.view().data, expected.view().data, std::size_t(expected.view().bytes())),
        0)
        << name(dtype);
  }
}

TEST(InitialValues, IndicesLieBelowTheirLimit) {
  const Tensor found(Dtype::Int32, {1000});
  fill_initial(found.view(),
               {.name = "i", .shape = {1000}, .dtype = Dtype::Int32, .index_limit = 7}, 3, {});
  const auto* indices = found.view().as<std::int32_t>();
  const auto [least, most] = std::minmax_element(indices, indices + 1000);
  EXPECT_EQ(*least, 0);
  EXPECT_EQ(*most, 6);
}

TEST(InitialValues, AnInputThatHasThemIsGivenByNobody) {
  TensorInfo info{"x", {2}, Dtype::Float32, Role::Input};
  EXPECT_TRUE(is_given(info));
  info.initial = Initial{};
  EXPECT_FALSE(is_given(info));
}

}  // namespace
}  // namespace siliconprof::cpu
