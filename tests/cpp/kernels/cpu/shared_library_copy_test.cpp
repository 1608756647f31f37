#include "siliconprof/kernels/cpu/shared_library_copy.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

/// The file of a shared library that every C++ program has.
std::string some_library() {
  Dl_info info{};
  dladdr(dlsym(RTLD_DEFAULT, "cos"), &info);
  return info.dli_fname != nullptr ? info.dli_fname : "";
}

TEST(SharedLibraryCopy, EveryCopyHasItsOwnCode) {
  const std::string path = some_library();
  ASSERT_NE(path, "");
  for (const auto open : {open_private_copy, open_temporary_copy}) {
    void* first = open(path);
    void* second = open(path);
    void* of_first = dlsym(first, "cos");
    void* of_second = dlsym(second, "cos");
    EXPECT_NE(of_first, of_second);
    EXPECT_NE(of_first, dlsym(RTLD_DEFAULT, "cos"));
    EXPECT_EQ(reinterpret_cast<double (*)(double)>(of_second)(0.0), 1.0);
    dlclose(first);
    dlclose(second);
  }
}

TEST(SharedLibraryCopy, AFileThatIsNoneSaysWhy) {
  for (const auto open : {open_private_copy, open_temporary_copy}) {
    EXPECT_THROW(open("/nonexistent/libopenblas.so"), EngineUnavailable);
    EXPECT_THROW(open("/dev/null"), EngineUnavailable);
  }
}

}  // namespace
}  // namespace siliconprof::cpu
