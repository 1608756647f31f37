#include "siliconprof/kernels/cpu/loaded_libraries.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace siliconprof::cpu {
namespace {

#if defined(__linux__)

TEST(LoadedLibraries, HaveTheCLibraryAmongThem) {
  const auto paths = loaded_library_paths();
  EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    return path.find("libc.") != std::string::npos;
  }));
}

TEST(LoadedLibraries, TheLoaderFindsTheCLibraryByItsName) {
  EXPECT_NE(path_found_by_loader("libc.so.6").find("libc"), std::string::npos);
}

#endif

TEST(LoadedLibraries, TheLoaderFindsNothingUnderAnInventedName) {
  EXPECT_EQ(path_found_by_loader("libno_such_library.so.0"), "");
}

}  // namespace
}  // namespace siliconprof::cpu
