#include "siliconprof/kernels/cpu/openblas_library.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/openblas_files.h"

namespace siliconprof::cpu {
namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

/// The environment variable with another value, or without one, until the end of the test.
class VariableScope {
 public:
  explicit VariableScope(const char* value) {
    if (const char* found = std::getenv(kVariable)) before_ = found;
    value != nullptr ? setenv(kVariable, value, 1) : unsetenv(kVariable);
  }
  VariableScope(const VariableScope&) = delete;
  VariableScope& operator=(const VariableScope&) = delete;
  ~VariableScope() { before_ ? setenv(kVariable, before_->c_str(), 1) : unsetenv(kVariable); }

 private:
  std::optional<std::string> before_;
};

CpuFeatures avx2_machine() {
  CpuFeatures features;
  features.avx2 = features.fma = features.f16c = true;
  return features;
}

CpuFeatures avx512_machine() {
  CpuFeatures features = avx2_machine();
  features.avx512f = features.avx512bw = features.avx512vl = true;
  features.avx512dq = features.avx512cd = true;
  return features;
}

TEST(OpenBlasLibrary, TheFamilyFollowsTheInstructionSets) {
  EXPECT_EQ(wanted_openblas_family(CpuFeatures{}), "");
  EXPECT_EQ(wanted_openblas_family(avx2_machine()), "Haswell");
  EXPECT_EQ(wanted_openblas_family(avx512_machine()), "SkylakeX");
}

TEST(OpenBlasLibrary, PartOfAvx512IsNotEnoughAndTilesAreNeverAskedFor) {
  CpuFeatures part = avx512_machine();
  part.avx512vl = false;
  EXPECT_EQ(wanted_openblas_family(part), "Haswell");
  CpuFeatures tiles = avx512_machine();
  tiles.amx_tile = tiles.amx_bf16 = tiles.avx512_bf16 = true;
  EXPECT_EQ(wanted_openblas_family(tiles), "SkylakeX");
}

TEST(OpenBlasLibrary, OnlyANarrowerFamilyFallsShort) {
  EXPECT_TRUE(falls_short("Prescott", "SkylakeX"));
  EXPECT_TRUE(falls_short("Haswell", "SkylakeX"));
  EXPECT_TRUE(falls_short("Prescott", "Haswell"));
  EXPECT_FALSE(falls_short("Zen", "Haswell"));
  EXPECT_FALSE(falls_short("Cooperlake", "SkylakeX"));
  EXPECT_FALSE(falls_short("SapphireRapids", "SkylakeX"));
  EXPECT_FALSE(falls_short("neoversen1", ""));
}

class LoadedLibrary : public testing::Test {
 protected:
  void SetUp() override {
    const auto files = openblas_files(nullptr);
    if (files.empty()) GTEST_SKIP() << "no OpenBLAS on this machine";
    path_ = files.front();
  }
  std::string path_;
};

TEST_F(LoadedLibrary, TheKernelsDoNotFallShortOfThisCpu) {
  const VariableScope scope(nullptr);
  const std::string wanted = wanted_openblas_family(cpu_features());
  const OpenBlas library(path_, wanted);
  EXPECT_FALSE(falls_short(library.corename, wanted)) << library.corename;
  EXPECT_EQ(std::getenv(kVariable), nullptr);
}

#if defined(__x86_64__)
TEST_F(LoadedLibrary, WhatTheEnvironmentAsksOfOthersIsNotFollowedAndStaysSet) {
  if (!cpu_features().has_avx512_kernels()) GTEST_SKIP() << "nothing better than Haswell here";
  const VariableScope scope("Haswell");
  const OpenBlas library(path_, "SkylakeX");
  EXPECT_FALSE(falls_short(library.corename, "SkylakeX")) << library.corename;
  EXPECT_STREQ(std::getenv(kVariable), "Haswell");
}

TEST_F(LoadedLibrary, CopiesHaveKernelsOfTheirOwn) {
  if (!cpu_features().has_avx512_kernels()) GTEST_SKIP() << "nothing better than Haswell here";
  const OpenBlas narrow(path_, "Haswell", true);
  const OpenBlas wide(path_, "SkylakeX");
  EXPECT_FALSE(falls_short(wide.corename, "SkylakeX"));
  EXPECT_EQ(narrow.corename, "Haswell");
}
#endif

TEST_F(LoadedLibrary, ItMultipliesByHand) {
  const OpenBlas library(path_, "");
  const double a[] = {1, 2, 3, 4};
  const double b[] = {5, 6, 7, 8};
  double c[] = {NAN, NAN, NAN, NAN};
  library.gemm(GemmCall<double>{false, false, 2, 2, 2, a, 2, b, 2, c, 2});
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{19, 22, 43, 50}));
  library.gemm(GemmCall<double>{false, false, 2, 2, 2, a, 2, b, 2, c, 2, true});
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{38, 44, 86, 100}));
  double y[] = {NAN, NAN};
  library.gemv(GemvCall<double>{true, false, 2, 2, a, 2, b, y});
  EXPECT_EQ(std::vector<double>(y, y + 2), (std::vector<double>{23, 34}));
}

TEST_F(LoadedLibrary, SizesBeyondItsIntegersAreRefused) {
  const OpenBlas library(path_, "");
  if (library.config.find("USE64BITINT") != std::string::npos) GTEST_SKIP() << "64-bit integers";
  const std::int64_t huge = std::int64_t{1} << 31;
  EXPECT_THROW(library.gemm(GemmCall<float>{false, false, 1, huge, 1, nullptr, huge, nullptr, 1,
                                            nullptr, 1}),
               ShapeError);
}

TEST(OpenBlasLibrary, AFileThatIsNoOpenBlasIsRefused) {
  EXPECT_THROW(OpenBlas("/nonexistent/libopenblas.so", ""), EngineUnavailable);
}

}  // namespace
}  // namespace siliconprof::cpu
