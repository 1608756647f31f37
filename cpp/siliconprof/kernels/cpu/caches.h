#pragma once

// The caches of this CPU, as the system lists them: the last decides whether an output is worth
// keeping near, the first how many rows a tile of a product may have at once, the second how many
// such tiles meet a panel in turn.

#include <cstdint>
#include <filesystem>
#include <vector>

namespace siliconprof::cpu {

/// A level of what one CPU can use. 0: the system doesn't say.
struct DataCache {
  std::int64_t level = 0;
  std::int64_t bytes = 0;
  std::int64_t ways = 0;  // lines that share a place
};

/// Levels that hold data among the caches of one CPU that Linux lists in `folder`
/// (/sys/devices/system/cpu/cpu0/cache), nearest first.
std::vector<DataCache> data_caches_in(const std::filesystem::path& folder);

/// The same of this CPU; those that are known, in no such folder, elsewhere.
std::vector<DataCache> reported_data_caches();

/// Bytes of the last cache before memory that one CPU can use; 32 MiB where the system doesn't say.
std::int64_t last_level_cache_bytes();

/// Of the first cache; 8 where the system doesn't say.
std::int64_t first_cache_ways();

/// Of a core's own cache behind the first; 0 where the system doesn't say.
std::int64_t second_cache_bytes();

}  // namespace siliconprof::cpu
