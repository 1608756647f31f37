#include "siliconprof/kernels/cpu/fma_chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "siliconprof/core/error.h"
#include "siliconprof/core/half.h"
#include "siliconprof/kernels/cpu/cpu_features.h"

namespace siliconprof::cpu {
namespace {

// More than a core has multiply-adds under way: 4 cycles long, 2 a cycle; 4 a cycle on arm64.
#if defined(__aarch64__)
constexpr double kChains = 24;
#else
constexpr double kChains = 12;
#endif

template <class T>
T first_of(const unsigned char* sink) {
  T first{};
  std::memcpy(static_cast<void*>(&first), sink, sizeof first);
  return first;
}

/// bfloat16's products are summed in float32.
double first_sum(Dtype dtype, const unsigned char* sink) {
  if (dtype == Dtype::Float64) return first_of<double>(sink);
  if (dtype == Dtype::Float16) return double(float(first_of<float16>(sink)));
  return double(first_of<float>(sink));
}

TEST(FmaChains, EveryBuildComputesNumbersThatStayInRange) {
  for (const FmaChains& chains : runnable_fma_chains()) {
    SCOPED_TRACE(chains.instruction);
    alignas(64) unsigned char sink[64] = {};
    chains.run(100, sink);
    // Chains that each stay at 2, or tend to 1 where there is no instruction for it.
    const bool is_one = !chains.instruction.ends_with("multiply and add");
    // Arm's bfdot rounds to odd, to a number next to 2, and sums round.
    const double roundings = chains.dtype == Dtype::BFloat16 ? kChains * 0x1p-20 : 0.0;
    EXPECT_NEAR(first_sum(chains.dtype, sink), is_one ? 2 * kChains : kChains, roundings);
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

#if defined(__aarch64__)
TEST(FmaChains, HalvesAreThereWhereNeonHasThem) {
  const CpuFeatures& features = cpu_features();
  const auto has = [](Dtype dtype) {
    return std::ranges::any_of(runnable_fma_chains(),
                               [dtype](const FmaChains& c) { return c.dtype == dtype; });
  };
  EXPECT_EQ(has(Dtype::Float16), features.asimdhp);
  EXPECT_EQ(has(Dtype::BFloat16), features.bf16);
}
#endif

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
