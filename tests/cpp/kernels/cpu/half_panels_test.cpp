#include "siliconprof/kernels/cpu/half_panels.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <vector>

#include "siliconprof/core/half.h"

namespace siliconprof::cpu {
namespace {

std::uint16_t bits_of(Dtype dtype, float value) {
  return dtype == Dtype::Float16 ? std::bit_cast<std::uint16_t>(float16(value))
                                 : std::bit_cast<std::uint16_t>(bfloat16(value));
}

float value_of(Dtype dtype, std::uint16_t bits) {
  return dtype == Dtype::Float16 ? float(std::bit_cast<float16>(bits))
                                 : float(std::bit_cast<bfloat16>(bits));
}

/// Line i, term l of a panel: the sum of its parts.
float unpacked(const std::vector<std::uint32_t>& panel, Dtype dtype, bool rows, std::int64_t i,
               std::int64_t l) {
  const std::int64_t parts = half_parts(dtype);
  const std::int64_t line = i % 16;
  const std::int64_t pair = l % kPanelTerms / 2;
  const std::int64_t in_strip = rows ? line * 16 + pair : pair * 16 + line;
  float sum = 0;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t at = (l / kPanelTerms * parts + part) * kStepPairs + i / 16 * 256 + in_strip;
    const std::uint32_t both = panel[std::size_t(at)];
    sum += std::bit_cast<float>(l % 2 == 0 ? both << 16 : both & 0xffff0000U);
  }
  return sum;
}

void expect_packed(const HalfPanelKernels& kernels, Dtype dtype, std::int64_t lines,
                   std::int64_t terms, bool by_lines) {
  const std::int64_t step = (by_lines ? terms : lines) + 3;
  std::vector<std::uint16_t> data(std::size_t(step * (by_lines ? lines : terms)),
                                  bits_of(dtype, std::numeric_limits<float>::quiet_NaN()));
  const auto at = [&](std::int64_t i, std::int64_t l) -> std::uint16_t& {
    return data[std::size_t(by_lines ? i * step + l : l * step + i)];
  };
  for (std::int64_t i = 0; i < lines; ++i) {
    for (std::int64_t l = 0; l < terms; ++l) {
      at(i, l) = bits_of(dtype, (i % 2 == 0 ? 1.0F : -1.0F) / float(7 * i + 3 * l + 1));
    }
  }
  const HalfLines source{data.data(), by_lines ? step : 1, by_lines ? 1 : step, lines, terms};
  const std::int64_t steps = (terms + kPanelTerms - 1) / kPanelTerms;
  for (const bool rows : {true, false}) {
    std::vector<std::uint32_t> panel(std::size_t(steps * half_parts(dtype) * kStepPairs + 1), 77);
    const HalfPanels& panels = kernels.of(dtype);
    EXPECT_TRUE((rows ? panels.pack_rows : panels.pack_columns)(source, panel.data()));
    EXPECT_EQ(panel.back(), 77U) << "past the panel";
    for (std::int64_t i = 0; i < kPanelLines; ++i) {
      for (std::int64_t l = 0; l < steps * kPanelTerms; ++l) {
        const float expected = i < lines && l < terms ? value_of(dtype, at(i, l)) : 0.0F;
        ASSERT_EQ(unpacked(panel, dtype, rows, i, l), expected)
            << "line " << i << " of " << lines << " term " << l << " of " << terms;
      }
    }
  }
}

TEST(HalfPanels, HoldEveryElementAndZerosElsewhere) {
  for (const HalfPanelKernels* kernels : runnable_half_panels()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      for (const bool by_lines : {true, false}) {
        for (const std::int64_t lines : {1, 15, 16, 17, 31, 32}) {
          for (const std::int64_t terms : {0, 1, 2, 31, 32, 33, 64, 75}) {
            expect_packed(*kernels, dtype, lines, terms, by_lines);
          }
        }
      }
    }
  }
}

TEST(HalfPanels, EveryFiniteFloat16IsTheSumOfItsParts) {
  for (const HalfPanelKernels* kernels : runnable_half_panels()) {
    std::vector<std::uint32_t> panel(2 * kStepPairs);
    for (std::uint32_t first = 0; first < 65536; first += 1024) {
      std::vector<std::uint16_t> data(1024);
      bool finite = true;
      for (std::uint32_t i = 0; i < 1024; ++i) {
        data[i] = std::uint16_t(first + i);
        finite = finite && std::isfinite(value_of(Dtype::Float16, data[i]));
      }
      EXPECT_EQ(kernels->float16.pack_rows({data.data(), 32, 1, 32, 32}, panel.data()), finite);
      for (std::int64_t i = 0; i < 1024 && finite; ++i) {
        ASSERT_EQ(unpacked(panel, Dtype::Float16, true, i / 32, i % 32),
                  value_of(Dtype::Float16, data[std::size_t(i)]));
      }
    }
  }
}

TEST(HalfPanels, Bfloat16IsTakenAsItIs) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const HalfPanelKernels* kernels : runnable_half_panels()) {
    const std::uint16_t data = bits_of(Dtype::BFloat16, infinity);
    std::vector<std::uint32_t> panel(kStepPairs);
    EXPECT_TRUE(kernels->bfloat16.pack_rows({&data, 1, 1, 1, 1}, panel.data()));
    EXPECT_EQ(unpacked(panel, Dtype::BFloat16, true, 0, 0), infinity);
  }
}

TEST(HalfPanels, ResultsGetABiasAndAreRoundedOnceWithinTheirBounds) {
  std::vector<float> sums(kPanelLines * kPanelLines);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = 1.0F + float(i) / 3.0F;
  for (const HalfPanelKernels* kernels : runnable_half_panels()) {
    for (const Dtype dtype : {Dtype::Float16, Dtype::BFloat16}) {
      for (const std::int64_t columns : {1, 3, 16, 29, 32}) {
        const std::int64_t rows = 33 - columns;
        std::vector<std::uint16_t> bias(std::size_t(columns), bits_of(dtype, 0.375F));
        for (const bool has_bias : {false, true}) {
          std::vector<std::uint16_t> c(kPanelLines * 40, 7);
          kernels->of(dtype).write(
              {sums.data(), has_bias ? bias.data() : nullptr, c.data(), 40, rows, columns});
          for (std::int64_t at = 0; at < kPanelLines * 40; ++at) {
            const std::int64_t i = at / 40;
            const std::int64_t j = at % 40;
            const float sum = j < kPanelLines ? sums[std::size_t(i * kPanelLines + j)] : 0.0F;
            const std::uint16_t expected =
                i < rows && j < columns ? bits_of(dtype, sum + (has_bias ? 0.375F : 0.0F)) : 7;
            ASSERT_EQ(c[std::size_t(at)], expected) << i << " " << j << " of " << columns;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace siliconprof::cpu
