#include "siliconprof/kernels/cpu/openblas_in_process.h"

#include <dlfcn.h>

#include "siliconprof/kernels/cpu/loaded_libraries.h"
#include "siliconprof/kernels/cpu/openblas_symbols.h"

namespace siliconprof::cpu {
std::vector<LoadedOpenBlas> loaded_openblas() {
  std::vector<LoadedOpenBlas> found;
  for (const std::string& path : loaded_library_paths()) {
    // A private copy has a descriptor's number for a name.
    if (path.substr(path.rfind('/') + 1).find("openblas") == std::string::npos) continue;
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
