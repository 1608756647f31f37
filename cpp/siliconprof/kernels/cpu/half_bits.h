#pragma once

// The 16-bit formats as plain bits, for loops that convert whole vectors of them.

#include <cstdint>

namespace siliconprof::cpu {

struct Float16Bits {
  std::uint16_t bits;
};
struct BFloat16Bits {
  std::uint16_t bits;
};

}  // namespace siliconprof::cpu
