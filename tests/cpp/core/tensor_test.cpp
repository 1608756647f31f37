#include "siliconprof/core/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Tensor, IsAlignedToACacheLine) {
  const Tensor tensor(Dtype::Float32, {3, 5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.view().data) % kTensorAlignment, 0U);
  EXPECT_EQ(tensor.view().bytes(), 60);
}

TEST(Tensor, IsAlignedToAHugePageWhenLarge) {
  const Tensor tensor(Dtype::Float64, {1 << 20});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.view().data) % (2U << 20), 0U);
}

TEST(Tensor, MayBeEmpty) {
  const Tensor tensor(Dtype::Float16, {0, 7});
  EXPECT_EQ(tensor.view().bytes(), 0);
  EXPECT_NE(tensor.view().data, nullptr);
}

TEST(Tensor, FillsWithTheSameNumbersForTheSameSeed) {
  Tensor a(Dtype::Float32, {1000});
  Tensor b(Dtype::Float32, {1000});
  a.fill_uniform(7);
  b.fill_uniform(7);
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const float x = a.view().as<float>()[i];
    EXPECT_EQ(x, b.view().as<float>()[i]);
    EXPECT_GE(x, -1.0F);
    EXPECT_LE(x, 1.0F);
    sum += double(x);
  }
  EXPECT_LT(std::abs(sum), 1000.0 * 0.1);  // mean 0, standard error 0.018
  b.fill_uniform(8);
  EXPECT_NE(a.view().as<float>()[0], b.view().as<float>()[0]);
}

TEST(Tensor, StopsFillingWhenThePollThrows) {
  Tensor tensor(Dtype::Float16, {1 << 23});
  int polls = 0;
  EXPECT_THROW(tensor.fill_uniform(1,
                                   [&polls] {
                                     ++polls;
                                     throw Interrupted{};
                                   }),
               Interrupted);
  EXPECT_EQ(polls, 1);
}

TEST(Tensor, RefusesASizeThatOverflows) {
  EXPECT_THROW(Tensor(Dtype::Float64, {1L << 40, 1L << 22}), ShapeError);
}

}  // namespace
}  // namespace siliconprof
