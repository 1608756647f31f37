#include "siliconprof/kernels/cpu/scratch.h"

#include <gtest/gtest.h>

#include <thread>

namespace siliconprof::cpu {
namespace {

TEST(Scratch, MemoryIsReusedUntilMoreIsNeeded) {
  Scratch scratch;
  float* first = scratch.floats(1000);
  first[999] = 5.0F;
  EXPECT_EQ(scratch.floats(10), first);
  EXPECT_EQ(scratch.floats(1000), first);
  scratch.floats(5000)[4999] = 1.0F;
}

TEST(Scratch, TrimmingKeepsWhatIsSmall) {
  Scratch scratch;
  float* small = scratch.floats(1000);
  scratch.trim();
  EXPECT_EQ(scratch.floats(1000), small);
}

TEST(Scratch, AThreadHasOneForItsKernels) {
  Scratch* other = nullptr;
  std::thread([&other] { other = &kernel_scratch(); }).join();
  EXPECT_EQ(&kernel_scratch(), &kernel_scratch());
  EXPECT_NE(&kernel_scratch(), other);
}

}  // namespace
}  // namespace siliconprof::cpu
