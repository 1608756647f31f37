#include "siliconprof/kernels/cpu/openblas_in_process.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/openblas_files.h"
#include "siliconprof/kernels/cpu/openblas_library.h"

namespace siliconprof::cpu {
namespace {

#if defined(__linux__)

TEST(OpenBlasInProcess, OwnCopiesAreNotListedAndOthersAre) {
  const auto files = openblas_files(nullptr);
  if (files.empty()) GTEST_SKIP() << "no OpenBLAS on this machine";
  const auto before = loaded_openblas();
  try {
    openblas();
  } catch (const EngineUnavailable& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(loaded_openblas().size(), before.size());

  void* handle = dlopen(files.front().c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr);
  const auto listed = loaded_openblas();
  const auto found = std::find_if(listed.begin(), listed.end(), [&](const LoadedOpenBlas& entry) {
    return std::filesystem::equivalent(entry.path, files.front());
  });
  ASSERT_NE(found, listed.end());
  EXPECT_FALSE(found->corename.empty());
  EXPECT_NE(found->config.find("OpenBLAS"), std::string::npos);
}

#endif

}  // namespace
}  // namespace siliconprof::cpu
