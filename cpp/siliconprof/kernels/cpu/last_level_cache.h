#pragma once

// The cache that decides whether an output is worth keeping near.

#include <cstdint>

namespace siliconprof::cpu {

/// Bytes of the last cache before memory, as the system says it; 0 where it doesn't.
std::int64_t reported_last_level_cache_bytes();

/// The same, asked once; 32 MiB where the system doesn't say.
std::int64_t last_level_cache_bytes();

}  // namespace siliconprof::cpu
