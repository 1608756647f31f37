#if !defined(__linux__)

#include "siliconprof/kernels/cpu/tile_permission.h"

namespace siliconprof::cpu {

bool may_use_tiles() { return false; }

}  // namespace siliconprof::cpu

#endif
