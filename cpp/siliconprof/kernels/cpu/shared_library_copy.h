#pragma once

// Loads a copy of a shared library of its own: other code and data than those of a copy that the
// process has or will load, whose settings are neither inherited nor changed.

#include <string>

namespace siliconprof::cpu {

/// A handle for dlsym and dlclose. Throws EngineUnavailable with the loader's reason.
void* open_private_copy(const std::string& path);

/// The same by way of a file in the temporary directory, which is removed again.
void* open_temporary_copy(const std::string& path);

/// Flags for dlopen: symbols bound now, hidden from others, and its own preferred.
int private_copy_flags();

}  // namespace siliconprof::cpu
