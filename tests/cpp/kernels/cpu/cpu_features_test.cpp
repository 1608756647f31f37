#include "siliconprof/kernels/cpu/cpu_features.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "siliconprof/kernels/cpu/isa_limit.h"

namespace siliconprof::cpu {
namespace {

constexpr std::uint32_t kFmaF16c = (1U << 12) | (1U << 29);
constexpr std::uint32_t kAvx2 = 1U << 5;
constexpr std::uint32_t kAvx512 = (1U << 16) | (1U << 17) | (1U << 28) | (1U << 30) | (1U << 31);

TEST(CpuFeatures, NothingIsPresentWithoutTheOperatingSystem) {
  const X86Registers registers{kFmaF16c, kAvx2 | kAvx512, ~0U, ~0U, 0};
  EXPECT_EQ(decode(registers), CpuFeatures{});
}

TEST(CpuFeatures, Avx2NeedsOnlyTheYmmState) {
  const CpuFeatures features = decode({kFmaF16c, kAvx2 | kAvx512, 0, 0, 0x7});
  EXPECT_TRUE(features.has_avx2_kernels());
  EXPECT_FALSE(features.avx512f);
  EXPECT_FALSE(features.has_avx512_kernels());
}

TEST(CpuFeatures, Avx512NeedsTheZmmState) {
  const CpuFeatures features = decode({kFmaF16c, kAvx2 | kAvx512, 0, 1U << 5, 0xe7});
  EXPECT_TRUE(features.has_avx512_kernels());
  EXPECT_TRUE(features.avx512_bf16);
  EXPECT_FALSE(features.avx512_fp16);
  EXPECT_FALSE(features.amx_tile);
}

TEST(CpuFeatures, TilesNeedTheirOwnState) {
  const X86Registers without{kFmaF16c, kAvx2 | kAvx512, (1U << 22) | (1U << 24), 0, 0xe7};
  EXPECT_FALSE(decode(without).amx_bf16);
  X86Registers with = without;
  with.xcr0 |= 0x60000;
  EXPECT_TRUE(decode(with).amx_bf16);
  EXPECT_TRUE(decode(with).amx_tile);
  EXPECT_FALSE(decode(with).amx_int8);
}

TEST(CpuFeatures, TheMakerIsNoFeature) {
  X86Registers registers{kFmaF16c, kAvx2, 0, 0, 0x7};
  registers.leaf0_ecx = 0x444d4163;  // "cAMD"
  const CpuFeatures amd = decode(registers);
  registers.leaf0_ecx = 0x6c65746e;  // "ntel"
  const CpuFeatures intel = decode(registers);
  EXPECT_TRUE(amd.amd);
  EXPECT_FALSE(intel.amd);
  EXPECT_EQ(feature_names(amd), feature_names(intel));
}

TEST(CpuFeatures, NamesFollowTheMembers) {
  CpuFeatures features;
  EXPECT_TRUE(feature_names(features).empty());
  features.fma = true;
  features.avx512_bf16 = true;
  features.neon = true;
  EXPECT_EQ(feature_names(features), (std::vector<std::string_view>{"fma", "avx512_bf16", "neon"}));
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST(CpuFeatures, ThisMachineAgreesWithTheCompilersRuntime) {
  __builtin_cpu_init();
  CpuFeatures expected;
  expected.avx2 = __builtin_cpu_supports("avx2") != 0;
  expected.fma = __builtin_cpu_supports("fma") != 0;
  expected.avx512f = __builtin_cpu_supports("avx512f") != 0;
  expected.avx512vl = __builtin_cpu_supports("avx512vl") != 0;
  const char* most = std::getenv(kMaxIsaVariable);
  if (most != nullptr && *most != '\0') expected = limited(expected, most);
  EXPECT_EQ(cpu_features().avx2, expected.avx2);
  EXPECT_EQ(cpu_features().fma, expected.fma);
  EXPECT_EQ(cpu_features().avx512f, expected.avx512f);
  EXPECT_EQ(cpu_features().avx512vl, expected.avx512vl);
  EXPECT_EQ(cpu_features().amd, __builtin_cpu_is("amd") != 0);
}
#endif

}  // namespace
}  // namespace siliconprof::cpu
