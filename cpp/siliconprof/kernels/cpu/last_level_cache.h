#pragma once

// The cache that decides whether an output is worth keeping near.

#include <cstdint>
#include <filesystem>

namespace siliconprof::cpu {

/// Bytes of the highest level that holds data among the caches of one CPU that Linux lists in
/// `folder` (/sys/devices/system/cpu/cpu0/cache); 0 where it lists none.
std::int64_t last_level_cache_bytes_in(const std::filesystem::path& folder);

/// Bytes of the last cache before memory that one CPU can use, as the system says it; 0 where it
/// doesn't.
std::int64_t reported_last_level_cache_bytes();

/// The same, asked once; 32 MiB where the system doesn't say.
std::int64_t last_level_cache_bytes();

}  // namespace siliconprof::cpu
