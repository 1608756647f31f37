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

}  // namespace
}  // namespace siliconprof
