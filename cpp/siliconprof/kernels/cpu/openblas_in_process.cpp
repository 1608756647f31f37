#include "siliconprof/kernels/cpu/openblas_in_process.h"

#include <dlfcn.h>

#include "siliconprof/kernels/cpu/openblas_symbols.h"
#if defined(__linux__)
#include <link.h>
#endif

namespace siliconprof::cpu {
namespace {

#if defined(__linux__)

int add_if_openblas(dl_phdr_info* info, std::size_t, void* paths) {
  const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  // A private copy has a descriptor's number for a name.
  const std::string file = path.substr(path.rfind('/') + 1);
  if (file.find("openblas") != std::string::npos) {
    static_cast<std::vector<std::string>*>(paths)->push_back(path);
  }
  return 0;
}

std::vector<std::string> mapped_paths() {
  std::vector<std::string> paths;
  dl_iterate_phdr(add_if_openblas, &paths);
  return paths;
}

#else

std::vector<std::string> mapped_paths() { return {}; }

#endif

}  // namespace

std::vector<LoadedOpenBlas> loaded_openblas() {
  std::vector<LoadedOpenBlas> found;
  for (const std::string& path : mapped_paths()) {
    void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    if (const auto symbols = find_openblas_symbols(handle)) {
      found.push_back({path, symbols->corename(), symbols->config()});
    }
    dlclose(handle);  // gives back the reference that RTLD_NOLOAD took
  }
  return found;
}

}  // namespace siliconprof::cpu
