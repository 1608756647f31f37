#pragma once

// Leave to use AMX's tiles: their 8 KiB of registers are saved only for processes that ask.

namespace siliconprof::cpu {

/// Asks the system, once, for all threads of this process. False where it has no tiles, or refuses.
bool may_use_tiles();

}  // namespace siliconprof::cpu
