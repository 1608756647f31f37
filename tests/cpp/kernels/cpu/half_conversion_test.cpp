#include "siliconprof/kernels/cpu/half_conversion.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/core/half.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

std::vector<std::uint16_t> all_bits() {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::uint16_t(i);
  return bits;
}

/// The value of a format with that many exponent and fraction bits, from its definition.
double decoded(std::uint16_t bits, int exponent_bits, int fraction_bits) {
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::nan("") : sign * INFINITY;
  }
  const double significand =
      std::ldexp(double(fraction), -fraction_bits) + (exponent != 0 ? 1.0 : 0.0);
  return sign * std::ldexp(significand, std::max(exponent, 1) - bias);
}

double decoded(Dtype dtype, std::uint16_t bits) {
  return dtype == Dtype::Float16 ? decoded(bits, 5, 10) : decoded(bits, 8, 7);
}

TEST(HalfConversion, EveryBuildWidensEveryBitPattern) {
  const auto bits = all_bits();
  std::vector<float> wide(bits.size());
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      SCOPED_TRACE(std::string(kernels->instruction_set) + " " + std::string(name(dtype)));
      kernels->products(dtype).widen(bits.data(), wide.data(), std::int64_t(bits.size()));
      for (std::size_t i = 0; i < bits.size(); ++i) {
        const double expected = decoded(dtype, bits[i]);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(wide[i])) << i;
        } else {
          ASSERT_EQ(double(wide[i]), expected) << i;
          ASSERT_EQ(std::signbit(wide[i]), std::signbit(expected)) << i;
        }
      }
    }
  }
}

TEST(HalfConversion, NarrowingUndoesWidening) {
  const auto bits = all_bits();
  std::vector<float> wide(bits.size());
  std::vector<std::uint16_t> back(bits.size());
  for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
    for (const int threads : {1, 3}) {
      widen(dtype, bits.data(), wide.data(), std::int64_t(bits.size()), threads);
      narrow(dtype, wide.data(), back.data(), std::int64_t(bits.size()), threads);
      for (std::size_t i = 0; i < bits.size(); ++i) {
        if (std::isnan(wide[i])) {
          ASSERT_TRUE(std::isnan(decoded(dtype, back[i]))) << i;
        } else {
          ASSERT_EQ(back[i], bits[i]);
        }
      }
    }
  }
}

/// Nearest, to even when halfway: no neighbour is nearer, and of two equally near ones it is even.
void expect_nearest(Dtype dtype, float value, std::uint16_t bits) {
  const double found = decoded(dtype, bits);
  if (std::isnan(value)) {
    ASSERT_TRUE(std::isnan(found));
    return;
  }
  ASSERT_EQ(std::signbit(found), std::signbit(value)) << value;
  const std::uint16_t infinity = dtype == Dtype::Float16 ? 0x7c00 : 0x7f80;
  const auto magnitude = std::uint16_t(bits & 0x7fff);
  ASSERT_LE(magnitude, infinity) << value;
  // Infinity stands for the number that would follow the largest finite one.
  const auto at = [&](int m) {
    return m == infinity ? 2 * decoded(dtype, std::uint16_t(infinity - 1)) -
                               decoded(dtype, std::uint16_t(infinity - 2))
                         : decoded(dtype, std::uint16_t(m));
  };
  const double size = std::abs(double(value));
  if (std::isinf(value)) {
    ASSERT_EQ(magnitude, infinity);
    return;
  }
  const double error = std::abs(size - at(magnitude));
  if (magnitude > 0) {
    const double below = std::abs(size - at(magnitude - 1));
    ASSERT_TRUE(error < below || (error == below && magnitude % 2 == 0)) << value;
  }
  if (magnitude < infinity) {
    const double above = std::abs(size - at(magnitude + 1));
    ASSERT_TRUE(error < above || (error == above && magnitude % 2 == 0)) << value;
  } else {
    ASSERT_GE(size, (at(infinity) + at(infinity - 1)) / 2) << value;
  }
}

TEST(HalfConversion, EveryBuildRoundsToNearestEven) {
  std::mt19937 random(7);
  std::vector<float> values{0.0F,     -0.0F,     1.0F,     65504.0F,   65519.996F, 65520.0F,
                            1e30F,    0x1p-24F,  0x1p-25F, 0x1.8p-25F, 0x1p-149F,  3.3895314e38F,
                            INFINITY, -INFINITY, NAN,      -NAN};
  for (int i = 0; i < 60000; ++i) values.push_back(std::bit_cast<float>(std::uint32_t(random())));
  // Numbers of the formats' own ranges, and those exactly between two of them.
  for (int i = 0; i < 60000; ++i) {
    const auto bits = std::uint32_t(random());
    const std::uint32_t tail = i % 3 == 0 ? 0x8000U : i % 3 == 1 ? 0x1000U : bits & 0x1fffU;
    values.push_back(std::bit_cast<float>((bits & 0x8fffe000U) | 0x30000000U | tail));
  }
  std::vector<std::uint16_t> narrowed(values.size());
  for (const VectorKernels* kernels : runnable_vector_kernels()) {
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      SCOPED_TRACE(std::string(kernels->instruction_set) + " " + std::string(name(dtype)));
      kernels->products(dtype).narrow(values.data(), narrowed.data(), std::int64_t(values.size()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        expect_nearest(dtype, values[i], narrowed[i]);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(HalfConversion, OtherDtypesAreRefused) {
  float out = 0.0F;
  EXPECT_THROW(widen(Dtype::Float32, &out, &out, 1, 1), DtypeError);
  EXPECT_THROW(narrow(Dtype::Float64, &out, &out, 1, 1), DtypeError);
}

}  // namespace
}  // namespace siliconprof::cpu
