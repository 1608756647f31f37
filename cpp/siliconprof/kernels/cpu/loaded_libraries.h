#pragma once

// What the dynamic loader knows.

#include <string>
#include <vector>

namespace siliconprof::cpu {

/// Paths of the shared libraries in this process. Empty on systems that don't list them.
std::vector<std::string> loaded_library_paths();

/// The file that the loader finds under a bare name, "libopenblas.so.0"; "" for none, or where the
/// loader doesn't say. Loads the library for a moment.
std::string path_found_by_loader(const std::string& name);

}  // namespace siliconprof::cpu
