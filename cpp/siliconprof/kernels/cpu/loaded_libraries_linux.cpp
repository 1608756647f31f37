#if defined(__linux__)

#include <dlfcn.h>
#include <link.h>

#include "siliconprof/kernels/cpu/loaded_libraries.h"

namespace siliconprof::cpu {
namespace {

int add_path(dl_phdr_info* info, std::size_t, void* paths) {
  const std::string path = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (!path.empty()) static_cast<std::vector<std::string>*>(paths)->push_back(path);
  return 0;
}

}  // namespace

std::vector<std::string> loaded_library_paths() {
  std::vector<std::string> paths;
  dl_iterate_phdr(add_path, &paths);
  return paths;
}

std::string path_found_by_loader(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return "";
  const link_map* map = nullptr;
  std::string path;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr)
    path = map->l_name;
  dlclose(handle);
  return path;
}

}  // namespace siliconprof::cpu

#endif
