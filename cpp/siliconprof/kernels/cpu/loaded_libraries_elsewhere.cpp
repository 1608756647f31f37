#if !defined(__linux__)

#include "siliconprof/kernels/cpu/loaded_libraries.h"

namespace siliconprof::cpu {

std::vector<std::string> loaded_library_paths() { return {}; }
std::string path_found_by_loader(const std::string&) { return ""; }

}  // namespace siliconprof::cpu

#endif
