#pragma once

// The caches of this CPU, as the system lists them. The last decides whether an output is worth
// keeping near; the second how much of a product's operands is at hand at once, and whether a sum
// asks for what it will read; the first how many rows a product's tile may have.

#include <cstdint>
#include <filesystem>
#include <vector>

namespace siliconprof::cpu {

/// A level of what one CPU can use. 0: the system doesn't say.
struct DataCache {
  std::int64_t level = 0;
  std::int64_t bytes = 0;
};

/// Levels that hold data among the caches of one CPU that Linux lists in `folder`
/// (/sys/devices/system/cpu/cpu0/cache), nearest first.
std::vector<DataCache> data_caches_in(const std::filesystem::path& folder);

/// Those of this CPU, on any system; fewer where it doesn't list them.
std::vector<DataCache> reported_data_caches();

/// Of a last cache with so many bytes, what a process on so many CPUs may count on. A virtual
/// machine of two CPUs lists all 480 MB of its host's, of which a hundred are its own at best.
std::int64_t own_part_bytes(std::int64_t last_level_bytes, int cpus);

/// That part of the last cache before memory; 32 MiB where the system doesn't say.
std::int64_t last_level_cache_bytes();

/// Of the first cache; 32 KiB where the system doesn't say.
std::int64_t first_cache_bytes();

/// Of the second cache, which on the CPUs that it is asked about (GemmKernels::own_cache_bytes) is
/// a core's own; 0 where there is none, or the system doesn't say.
std::int64_t second_cache_bytes();

}  // namespace siliconprof::cpu
