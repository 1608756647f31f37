#include "siliconprof/core/huge_pages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace siliconprof {
namespace {

TEST(HugePages, AskingChangesNoContents) {
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  const std::unique_ptr<char, Free> memory(static_cast<char*>(std::aligned_alloc(kBytes, kBytes)));
  memory.get()[12345] = 7;
  ask_for_huge_pages(memory.get(), kBytes);
  EXPECT_EQ(memory.get()[12345], 7);
}

TEST(HugePages, WhatIsAsLargeAsOneTakesWholeOnes) {
  constexpr std::int64_t kPage = std::int64_t{2} << 20;
  EXPECT_EQ(on_huge_pages(kPage - 1), kPage - 1);
#if defined(__linux__)
  EXPECT_EQ(on_huge_pages(kPage), kPage);
  EXPECT_EQ(on_huge_pages(kPage + 1), 2 * kPage);
#else
  EXPECT_EQ(on_huge_pages(kPage + 1), kPage + 1);
#endif
}

}  // namespace
}  // namespace siliconprof
