#include "siliconprof/kernels/cpu/attention_kernels.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

TEST(AttentionKernels, AreChosenByDtype) {
  for (const AttentionKernelTable* table : runnable_attention_kernels()) {
    EXPECT_EQ(&table->of(Dtype::Float64), &table->float64);
    EXPECT_EQ(&table->of(Dtype::Float32), &table->float32);
    EXPECT_EQ(&table->of(Dtype::Float16), &table->float16);
    EXPECT_EQ(&table->of(Dtype::BFloat16), &table->bfloat16);
    EXPECT_THROW(table->of(Dtype::Tf32), DtypeError);
  }
}

TEST(AttentionKernels, TheLastOfThemRunsOnEveryCpu) {
  ASSERT_FALSE(runnable_attention_kernels().empty());
  EXPECT_EQ(runnable_attention_kernels().back()->instruction_set, "generic");
}

}  // namespace
}  // namespace siliconprof::cpu
