#include "siliconprof/kernels/cpu/openblas_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace siliconprof::cpu {
namespace {

TEST(OpenBlasSymbols, TheVersionIsReadFromTheConfiguration) {
  EXPECT_EQ(openblas_version("OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH"), "0.3.21");
  EXPECT_EQ(openblas_version("OpenBLAS 0.3.27"), "0.3.27");
  EXPECT_EQ(openblas_version("OpenBLAS 0.3.28.dev DYNAMIC_ARCH"), "0.3.28.");
  EXPECT_EQ(openblas_version("something else"), "");
}

TEST(OpenBlasSymbols, TheProgramItselfIsNoOpenBlas) {
  EXPECT_FALSE(find_openblas_symbols(dlopen(nullptr, RTLD_LAZY)).has_value());
}

}  // namespace
}  // namespace siliconprof::cpu
