#include "siliconprof/kernels/cpu/half_tiles.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "siliconprof/kernels/cpu/cpu_features.h"
#include "siliconprof/kernels/cpu/half_panels.h"

namespace siliconprof::cpu {
namespace {

/// Small whole numbers, whose sums are exact in any order.
float element(std::int64_t part, std::int64_t line, std::int64_t term) {
  return float((part * 5 + line * 3 + term * 7) % 11 - 5);
}

std::uint32_t pair_of(float even, float odd) {
  return std::bit_cast<std::uint32_t>(even) >> 16 | std::bit_cast<std::uint32_t>(odd);
}

std::vector<std::uint32_t> panel(bool rows, std::int64_t steps, std::int64_t parts) {
  std::vector<std::uint32_t> found;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t part = 0; part < parts; ++part) {
      for (std::int64_t at = 0; at < kStepPairs; ++at) {
        const std::int64_t line = at / 256 * 16 + (rows ? at % 256 / 16 : at % 16);
        const std::int64_t term = step * kPanelTerms + 2 * (rows ? at % 16 : at % 256 / 16);
        found.push_back(pair_of(element(part, line, term), element(part, line, term + 1)));
      }
    }
  }
  return found;
}

float product(std::int64_t row, std::int64_t column, std::int64_t terms, std::int64_t parts) {
  float sum = 0;
  for (std::int64_t term = 0; term < terms; ++term) {
    float a = 0;
    float b = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      a += element(part, row, term);
      b += element(part, column, term);
    }
    sum += a * b;
  }
  return sum;
}

TEST(HalfTiles, MultiplyAllPartsOfAllSteps) {
  for (const HalfTileKernels* kernels : runnable_half_tiles()) {
    SCOPED_TRACE(kernels->instruction_set);
    for (const std::int64_t steps : {0, 1, 3}) {
      for (const std::int64_t parts : {1, 2}) {
        const std::vector<std::uint32_t> a = panel(true, steps, parts);
        const std::vector<std::uint32_t> b = panel(false, steps, parts);
        for (const bool accumulate : {false, true}) {
          std::vector<float> c(kPanelLines * kPanelLines + 1, 9.0F);
          kernels->begin();
          kernels->multiply({a.data(), b.data(), steps, parts, c.data(), accumulate});
          kernels->end();
          for (std::int64_t i = 0; i < kPanelLines * kPanelLines; ++i) {
            const float sum = product(i / kPanelLines, i % kPanelLines, steps * kPanelTerms, parts);
            ASSERT_EQ(c[std::size_t(i)], sum + (accumulate ? 9.0F : 0.0F))
                << i << " steps " << steps << " parts " << parts;
          }
          EXPECT_EQ(c.back(), 9.0F);
        }
      }
    }
  }
}

TEST(HalfTiles, NumbersBelowTheNormalRangeAreZeroToInstructionsForThem) {
  const std::vector<std::uint32_t> a(kStepPairs, pair_of(0x1p-127F, 0x1p-127F));
  const std::vector<std::uint32_t> b(kStepPairs, pair_of(4.0F, 4.0F));
  for (const HalfTileKernels* kernels : runnable_half_tiles()) {
    SCOPED_TRACE(kernels->instruction_set);
    std::vector<float> c(kPanelLines * kPanelLines, 1.0F);
    kernels->begin();
    kernels->multiply({a.data(), b.data(), 1, 1, c.data(), false});
    kernels->end();
    const float sum = kernels->instruction_set == "generic" ? 32 * 0x1p-125F : 0.0F;
    EXPECT_EQ(c, std::vector<float>(kPanelLines * kPanelLines, sum));
  }
}

TEST(HalfTiles, TheGenericBuildIsThereOnEveryCpu) {
  const CpuFeatures& cpu = cpu_features();
  EXPECT_EQ(runnable_half_tiles().back()->instruction_set, "generic");
  EXPECT_LE(runnable_half_tiles().size(), 1U + cpu.amx_bf16 + cpu.avx512_bf16);
  if (cpu.avx512_bf16 && !cpu.amx_bf16) {
    EXPECT_EQ(runnable_half_tiles().front()->instruction_set, "avx512_bf16");
  }
}

}  // namespace
}  // namespace siliconprof::cpu
