#include "siliconprof/kernels/cpu/half_tiles.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "siliconprof/kernels/cpu/half_panels.h"

#define SILICONPROF_AMX __attribute__((target("amx-tile,amx-bf16")))

namespace siliconprof::cpu::amx {
namespace {

// Source: Intel SDM volume 1, 18.3: palette 1 has 8 tiles of at most 16 rows of 64 bytes.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

SILICONPROF_AMX void begin() {
  static constexpr TileConfig config;  // the instruction reads more than the compiler knows of
  _tile_loadconfig(&config);
}

SILICONPROF_AMX void end() { _tile_release(); }

// The intrinsics take tiles as literals: 0 to 3 are the sums, 4 and 5 rows, 6 and 7 columns.
constexpr int kStripBytes = 1024;
constexpr int kRowBytes = 64;
constexpr int kSumBytes = int(kPanelLines * sizeof(float));

SILICONPROF_AMX inline void load_rows(const std::uint32_t* part) {
  const char* at = reinterpret_cast<const char*>(part);
  _tile_loadd(4, at, kRowBytes);
  _tile_loadd(5, at + kStripBytes, kRowBytes);
}

SILICONPROF_AMX inline void load_columns(const std::uint32_t* part) {
  const char* at = reinterpret_cast<const char*>(part);
  _tile_loadd(6, at, kRowBytes);
  _tile_loadd(7, at + kStripBytes, kRowBytes);
}

SILICONPROF_AMX inline void add_products() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

SILICONPROF_AMX inline void load_sums(const float* c) {
  _tile_loadd(0, c, kSumBytes);
  _tile_loadd(1, c + 16, kSumBytes);
  _tile_loadd(2, c + 16 * kPanelLines, kSumBytes);
  _tile_loadd(3, c + 16 * kPanelLines + 16, kSumBytes);
}

SILICONPROF_AMX inline void store_sums(float* c) {
  _tile_stored(0, c, kSumBytes);
  _tile_stored(1, c + 16, kSumBytes);
  _tile_stored(2, c + 16 * kPanelLines, kSumBytes);
  _tile_stored(3, c + 16 * kPanelLines + 16, kSumBytes);
}

/// All four products of high and low parts; what is loaded last is the next one's other factor.
SILICONPROF_AMX inline void add_split(const std::uint32_t* a, const std::uint32_t* b) {
  load_rows(a + kStepPairs);
  load_columns(b + kStepPairs);
  add_products();
  load_rows(a);
  add_products();
  load_columns(b);
  add_products();
  load_rows(a + kStepPairs);
  add_products();
}

SILICONPROF_AMX void multiply(const HalfTile& t) {
  if (t.accumulate) {
    load_sums(t.c);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  const std::uint32_t* a = t.a;
  const std::uint32_t* b = t.b;
  const std::int64_t step_pairs = t.parts * kStepPairs;
  for (std::int64_t step = 0; step < t.steps; ++step, a += step_pairs, b += step_pairs) {
    if (t.parts == 2) {
      add_split(a, b);
    } else {
      load_rows(a);
      load_columns(b);
      add_products();
    }
  }
  store_sums(t.c);
}

}  // namespace

constinit const HalfTileKernels kHalfTiles{"amx", 16, begin, multiply, end};

}  // namespace siliconprof::cpu::amx

#endif  // x86-64
