#include <bit>

#include "siliconprof/kernels/cpu/half_panels.h"
#include "siliconprof/kernels/cpu/half_tiles.h"

namespace siliconprof::cpu::generic {
namespace {

float even(std::uint32_t pair) { return std::bit_cast<float>(pair << 16); }
float odd(std::uint32_t pair) { return std::bit_cast<float>(pair & 0xffff0000U); }

/// One part of a step of A times one of B.
void add_step(const std::uint32_t* a, const std::uint32_t* b, float* c) {
  for (std::int64_t row = 0; row < kPanelLines; ++row) {
    for (std::int64_t strip = 0; strip < kPanelLines / 16; ++strip) {
      float* sums = c + row * kPanelLines + strip * 16;
      for (std::int64_t p = 0; p < 16; ++p) {
        const std::uint32_t pair = a[row * 16 + p];
        const std::uint32_t* columns = b + strip * 256 + p * 16;
        for (std::int64_t j = 0; j < 16; ++j) {
          sums[j] += even(pair) * even(columns[j]) + odd(pair) * odd(columns[j]);
        }
      }
    }
  }
}

void multiply(const HalfTile& t) {
  if (!t.accumulate) {
    for (std::int64_t i = 0; i < kPanelLines * kPanelLines; ++i) t.c[i] = 0;
  }
  for (std::int64_t step = 0; step < t.steps; ++step) {
    for (std::int64_t of_a = 0; of_a < t.parts; ++of_a) {
      for (std::int64_t of_b = 0; of_b < t.parts; ++of_b) {
        add_step(t.a + (step * t.parts + of_a) * kStepPairs,
                 t.b + (step * t.parts + of_b) * kStepPairs, t.c);
      }
    }
  }
}

void nothing() {}

}  // namespace

constinit const HalfTileKernels kHalfTiles{"generic", 1, nothing, multiply, nothing};

}  // namespace siliconprof::cpu::generic
