#include "siliconprof/kernels/cpu/last_level_cache.h"

namespace siliconprof::cpu {

std::int64_t last_level_cache_bytes() {
  constexpr std::int64_t kAssumed = std::int64_t{32} << 20;
  static const std::int64_t bytes = [] {
    const std::int64_t reported = reported_last_level_cache_bytes();
    return reported > 0 ? reported : kAssumed;
  }();
  return bytes;
}

}  // namespace siliconprof::cpu
