#include "siliconprof/kernels/cpu/fma_chains.h"

#include <gtest/gtest.h>

#include <cstring>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

// More than a core has multiply-adds under way: 4 cycles long, 2 a cycle; 4 a cycle on arm64.
#if defined(__aarch64__)
constexpr double kChains = 24;
#else
constexpr double kChains = 12;
#endif

TEST(FmaChains, EveryBuildComputesNumbersThatStayInRange) {
  for (const FmaChains& chains : runnable_fma_chains()) {
    SCOPED_TRACE(chains.instruction);
    alignas(64) unsigned char sink[64] = {};
    chains.run(100, sink);
    if (chains.dtype == Dtype::Float64 || chains.dtype == Dtype::Float32) {
      double first = 0.0;
      float first_float = 0.0F;
      std::memcpy(&first, sink, sizeof first);
      std::memcpy(&first_float, sink, sizeof first_float);
      const double sum = chains.dtype == Dtype::Float64 ? first : double(first_float);
      // Chains that each stay at 2, or tend to 1 where there is no instruction for it.
      EXPECT_EQ(sum, chains.instruction.ends_with("FMA") ? 2 * kChains : kChains);
    }
    EXPECT_GT(chains.flops_per_step, 0.0);
  }
}

TEST(FmaChains, FloatAndDoubleAreAlwaysThereAndTheWidestComesFirst) {
  for (const Dtype dtype : {Dtype::Float64, Dtype::Float32}) {
    const FmaChains& best = find_fma_chains(dtype);
    for (const FmaChains& chains : runnable_fma_chains()) {
      if (chains.dtype != dtype) continue;
      EXPECT_GE(best.flops_per_step, chains.flops_per_step);
    }
  }
}

TEST(FmaChains, AMissingDtypeIsRefusedWithThoseThatAreThere) {
  try {
    find_fma_chains(Dtype::Tf32);
    FAIL() << "tf32 was found";
  } catch (const DtypeError& error) {
    EXPECT_NE(std::string(error.what()).find("needed: one of float64, float32"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace siliconprof::cpu
