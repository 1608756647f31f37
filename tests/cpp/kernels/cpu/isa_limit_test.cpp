#include "siliconprof/kernels/cpu/isa_limit.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

CpuFeatures all() {
  CpuFeatures features;
  features.amd = features.avx2 = features.fma = features.f16c = true;
  features.avx512f = features.avx512bw = features.avx512vl = true;
  features.avx512dq = features.avx512cd = features.avx512_bf16 = features.avx512_fp16 = true;
  features.amx_tile = features.amx_bf16 = features.amx_int8 = features.neon = true;
  return features;
}

TEST(IsaLimit, LeavesWhatIsNoWider) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(limited(all(), "avx512"), all());
  EXPECT_EQ(feature_names(limited(all(), "avx2")), (Names{"avx2", "fma", "f16c", "neon"}));
  EXPECT_EQ(feature_names(limited(all(), "generic")), Names{"neon"});
  EXPECT_TRUE(limited(all(), "generic").amd) << "its maker stays";
  EXPECT_EQ(limited({}, "avx512"), CpuFeatures{}) << "a limit gives nothing";
}

TEST(IsaLimit, AnotherNameIsRefusedWithTheNearest) {
  try {
    limited(all(), "avx3");
    FAIL() << "no such limit";
  } catch (const UnknownNameError& error) {
    EXPECT_NE(std::string(error.what()).find("SILICONPROF_MAX_ISA"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("avx2"), std::string::npos);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
