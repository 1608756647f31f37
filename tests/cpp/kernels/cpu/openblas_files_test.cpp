#include "siliconprof/kernels/cpu/openblas_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace siliconprof::cpu {
namespace {

TEST(OpenBlasFiles, ANamedFileIsTheOnlyOneTried) {
  EXPECT_EQ(openblas_files("/somewhere/libopenblas.so"),
            (std::vector<std::string>{"/somewhere/libopenblas.so"}));
}

TEST(OpenBlasFiles, AnEmptyNameIsNoName) { EXPECT_EQ(openblas_files(""), openblas_files(nullptr)); }

TEST(OpenBlasFiles, WhatIsFoundExistsAndIsListedOnce) {
  const auto files = openblas_files(nullptr);
  EXPECT_EQ(std::set<std::string>(files.begin(), files.end()).size(), files.size());
  for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

TEST(OpenBlasFiles, OpenMpBuildsComeBeforePthreadOnes) {
  const auto files = openblas_files(nullptr);
  bool pthread_seen = false;
  for (const std::string& file : files) {
    if (file.find("pthread") != std::string::npos) pthread_seen = true;
    EXPECT_FALSE(pthread_seen && file.find("openmp") != std::string::npos) << file;
  }
}

}  // namespace
}  // namespace siliconprof::cpu
