#include "siliconprof/core/uniform_values.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(UniformValues, BorrowedMemoryGetsWhatATensorGets) {
  Tensor owned(Dtype::Float64, {100});
  owned.fill_uniform(5);
  std::vector<double> borrowed(100);
  fill_uniform({borrowed.data(), Dtype::Float64, {100}}, 5);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(borrowed[i], owned.view().as<double>()[i]);
}

TEST(UniformValues, NumbersOfEveryFormatLieBelowOne) {
  std::vector<std::uint16_t> halves(100000);
  for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
    fill_uniform({halves.data(), dtype, {100000}}, 3);
    const std::uint16_t one = dtype == Dtype::Float16 ? 0x3c00 : 0x3f80;
    for (const std::uint16_t bits : halves) ASSERT_NE(bits, one) << name(dtype);
  }
}

TEST(UniformValues, IndicesLieBelowTheirLimit) {
  std::vector<std::int32_t> indices(200, -1);
  fill_indices({indices.data(), Dtype::Int32, {200}}, 3, 7);
  std::vector<int> counts(3);
  for (const std::int32_t index : indices) ++counts.at(std::size_t(index));
  for (const int count : counts) EXPECT_GT(count, 40);  // 67 on average
}

TEST(UniformValues, NumbersAreRefusedForIndices) {
  std::vector<std::int32_t> indices(2);
  EXPECT_THROW(fill_uniform({indices.data(), Dtype::Int32, {2}}, 1), DtypeError);
}

TEST(UniformValues, OneFormatsNeighbourBelowOneIsAnothersOne) {
  EXPECT_EQ(largest_below_one(Dtype::Float32), 1.0F - 0x1p-24F);
  EXPECT_EQ(largest_below_one(Dtype::Float64), 1.0F - 0x1p-24F);
  EXPECT_EQ(largest_below_one(Dtype::Float16), 1.0F - 0x1p-11F);
  EXPECT_EQ(largest_below_one(Dtype::BFloat16), 1.0F - 0x1p-8F);
  EXPECT_THROW(largest_below_one(Dtype::Int32), DtypeError);
}

}  // namespace
}  // namespace siliconprof
