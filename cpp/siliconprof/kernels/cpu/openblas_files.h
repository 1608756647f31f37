#pragma once

// Where an OpenBLAS may lie on this machine.

#include <string>
#include <vector>

namespace siliconprof::cpu {

/// The variable by which a user names the library's file.
inline constexpr const char* kOpenBlasVariable = "SILICONPROF_OPENBLAS";

/// Files that exist, in the order of preference: OpenMP builds (one pool with our own kernels),
/// pthread builds, serial ones, the loader's libopenblas, one that the process has loaded.
/// With `named` (the variable's value; may be null) that one alone, whether it exists or not.
std::vector<std::string> openblas_files(const char* named);

}  // namespace siliconprof::cpu
