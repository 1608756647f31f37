#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/shared_library_copy.h"

// GCC's names first: headers that define a `__has_feature` for it, as Eigen does, define it as 0.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SILICONPROF_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SILICONPROF_SANITIZED
#endif
#endif

namespace siliconprof::cpu {

int private_copy_flags() {
  int flags = RTLD_NOW | RTLD_LOCAL;
  // Sanitizers replace malloc for the whole process and refuse a library that binds past them.
#if defined(RTLD_DEEPBIND) && !defined(SILICONPROF_SANITIZED)
  flags |= RTLD_DEEPBIND;
#endif
  return flags;
}

void* open_temporary_copy(const std::string& path) {
  std::error_code error;
  std::filesystem::path directory = std::filesystem::temp_directory_path(error);
  if (error) directory = "/tmp";
  std::string name = (directory / "siliconprof-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) throw EngineUnavailable("[engine] can't make a file in " + directory.string());
  close(file);
  std::filesystem::copy_file(path, name, std::filesystem::copy_options::overwrite_existing, error);
  void* handle = error ? nullptr : dlopen(name.c_str(), private_copy_flags());
  const char* reason = error || handle != nullptr ? nullptr : dlerror();
  std::error_code ignored;
  std::filesystem::remove(name, ignored);
  if (handle != nullptr) return handle;
  throw EngineUnavailable("[engine] can't load " + path + ": " +
                          (reason != nullptr ? std::string(reason) : error.message()));
}

#if !defined(__linux__)
void* open_private_copy(const std::string& path) { return open_temporary_copy(path); }
#endif

}  // namespace siliconprof::cpu
