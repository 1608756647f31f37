#include "siliconprof/kernels/cpu/openblas_files.h"

#include <algorithm>
#include <filesystem>

#include "siliconprof/kernels/cpu/loaded_libraries.h"
#include "siliconprof/kernels/cpu/openblas_in_process.h"

namespace siliconprof::cpu {
namespace {

std::vector<std::string> usual_places() {
#if defined(__APPLE__)
  return {"/opt/homebrew/opt/openblas/lib/libopenblas.dylib",
          "/usr/local/opt/openblas/lib/libopenblas.dylib", "/opt/local/lib/libopenblas.dylib"};
#else
  // Debian and Ubuntu keep the builds apart in folders, Fedora by names.
#if defined(__x86_64__)
  const std::string multiarch = "/usr/lib/x86_64-linux-gnu/openblas-";
#else
  const std::string multiarch = "/usr/lib/aarch64-linux-gnu/openblas-";
#endif
  return {multiarch + "openmp/libopenblas.so.0", "/usr/lib64/libopenblaso.so.0",
          multiarch + "pthread/libopenblas.so.0", "/usr/lib64/libopenblasp.so.0",
          multiarch + "serial/libopenblas.so.0"};
#endif
}

}  // namespace

std::vector<std::string> openblas_files(const char* named) {
  if (named != nullptr && *named != '\0') return {named};
  std::vector<std::string> files;
  const auto add = [&files](const std::string& path) {
    std::error_code error;
    if (path.empty() || !std::filesystem::exists(path, error)) return;
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
  };
  for (const std::string& path : usual_places()) add(path);
  // Asking the loader loads the library for a moment, so it is asked only if need be.
  if (files.empty()) {
    for (const char* name : {"libopenblas.so.0", "libopenblas.so"}) add(path_found_by_loader(name));
  }
  for (const LoadedOpenBlas& loaded : loaded_openblas()) add(loaded.path);
  return files;
}

}  // namespace siliconprof::cpu
