#pragma once

// Every OpenBLAS that other code has loaded into this process, numpy say: which kernels it chose
// explains its speed.

#include <string>
#include <vector>

namespace siliconprof::cpu {

struct LoadedOpenBlas {
  std::string path;
  std::string corename;
  std::string config;
};

/// Without the private copy of this library. Empty on systems that don't list a process's
/// libraries.
std::vector<LoadedOpenBlas> loaded_openblas();

}  // namespace siliconprof::cpu
