#include "siliconprof/kernels/cpu/log_mel_kernels.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

TEST(LogMelKernels, AreChosenByDtype) {
  for (const LogMelKernelTable* table : runnable_log_mel_kernels()) {
    EXPECT_EQ(&table->of(Dtype::Float64), &table->float64);
    EXPECT_EQ(&table->of(Dtype::Float32), &table->float32);
    EXPECT_EQ(&table->of(Dtype::Float16), &table->float16);
    EXPECT_EQ(&table->of(Dtype::BFloat16), &table->bfloat16);
    EXPECT_THROW(table->of(Dtype::Tf32), DtypeError);
  }
}

TEST(LogMelKernels, TheLastOfThemRunsOnEveryCpu) {
  ASSERT_FALSE(runnable_log_mel_kernels().empty());
  EXPECT_EQ(runnable_log_mel_kernels().back()->instruction_set, "generic");
}

}  // namespace
}  // namespace siliconprof::cpu
