#include "siliconprof/kernels/cpu/half_choice.h"

#include <gtest/gtest.h>

#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {
namespace {

bool has_tiles() { return runnable_half_tiles().front()->instruction_set == "amx"; }
bool has_quick_dots() {
  const CpuFeatures& cpu = cpu_features();
  return !has_tiles() && cpu.avx512_bf16 && cpu.has_avx512_kernels() && cpu.amd;
}

TEST(HalfChoice, AMachineIsThereWhereBfloat16IsQuickerThanFloat32) {
  EXPECT_EQ(half_machine() != nullptr, has_tiles() || has_quick_dots());
  if (half_machine() != nullptr) {
    EXPECT_EQ(half_machine()->tiles, runnable_half_tiles().front());
  }
}

TEST(HalfChoice, SaysByWhatItMultiplies) {
  const std::string widened = "float32 accumulation after conversion";
  EXPECT_EQ(half_product_path(Dtype::BFloat16), has_tiles()        ? "amx tiles"
                                                : has_quick_dots() ? "avx512_bf16 dot products"
                                                                   : widened);
  EXPECT_EQ(half_product_path(Dtype::Float16),
            has_tiles() ? "amx tiles of high and low bfloat16 parts" : widened);
}

TEST(HalfChoice, SmallOnesAndThoseThatUseElementsSeldomAreLeftToFloat32) {
  const auto suits = [](Dtype dtype, std::int64_t m, std::int64_t k, std::int64_t n) {
    return half_tiles_suit({dtype, m, k, n, nullptr, k, 1, nullptr, n, 1, nullptr});
  };
  EXPECT_EQ(suits(Dtype::BFloat16, 64, 256, 64), has_tiles() || has_quick_dots());
  EXPECT_EQ(suits(Dtype::BFloat16, 64, 255, 64), has_quick_dots());
  EXPECT_EQ(suits(Dtype::BFloat16, 16, 100000, 16), has_quick_dots());
  EXPECT_EQ(suits(Dtype::BFloat16, 32, 32, 32), has_quick_dots());
  EXPECT_FALSE(suits(Dtype::BFloat16, 32, 31, 32));
  EXPECT_FALSE(suits(Dtype::BFloat16, 33, 33, 33));  // fills a quarter of its panels
  EXPECT_EQ(suits(Dtype::BFloat16, 1, 1024, 1024), has_tiles());
  EXPECT_EQ(suits(Dtype::Float16, 256, 128, 256), has_tiles());
  EXPECT_FALSE(suits(Dtype::Float16, 256, 127, 256));
  EXPECT_FALSE(suits(Dtype::Float16, 64, 100000, 64));
}

}  // namespace
}  // namespace siliconprof::cpu
