#include "siliconprof/devices/product_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "siliconprof/core/rounding.h"
#include "siliconprof/devices/roofline.h"

namespace siliconprof {
namespace {

struct Tile {
  std::int64_t rows;
  std::int64_t columns;
};

// What libraries offer; larger than 128 x 256 doesn't fit in a core's registers.
constexpr std::array<Tile, 8> kTiles{
    {{64, 64}, {64, 128}, {128, 64}, {128, 128}, {64, 256}, {256, 64}, {128, 256}, {256, 128}}};
constexpr std::array<std::int64_t, 10> kSplits{1, 2, 3, 4, 6, 8, 16, 32, 64, 128};
constexpr std::array<std::int64_t, 1> kWhole{1};
// A part of the depth shorter than this isn't worth its addition.
constexpr std::int64_t kShortestPart = 256;
// Very deep products alone are split further, and those of convolutions never.
constexpr std::int64_t kUsualParts = 16;
constexpr std::int64_t kShortestDeepPart = 4096;
constexpr std::size_t kUsualSplits = 7;
static_assert(kSplits[kUsualSplits - 1] == kUsualParts);

// Of a thread's widest loads, and of the narrowest that move whole words.
constexpr double kLoadBytes = 16.0;
constexpr double kWordBytes = 4.0;

/// Part of the reach that the alignment of stored rows leaves.
double aligned_part(const ProductShape& shape, const ProductUnit& unit) {
  const auto is_of = [&](std::int64_t row, double bytes) {
    return std::fmod(double(row) * unit.element_bytes, bytes) == 0.0;
  };
  const auto part = [&](bool in_words, double unaligned) {
    return in_words && unit.unaligned_words > 0.0 ? unit.unaligned_words : unaligned;
  };
  if (!is_of(shape.lda, kLoadBytes) || !is_of(shape.ldb, kLoadBytes)) {
    return part(is_of(shape.lda, kWordBytes) && is_of(shape.ldb, kWordBytes), unit.unaligned);
  }
  if (is_of(shape.ldc, kLoadBytes)) return 1.0;
  return part(is_of(shape.ldc, kWordBytes), unit.unaligned_result);
}

/// What a number of parts of the depth makes of any tile's time.
struct Split {
  double parts;
  double depth;    // of one part
  double longer;   // for filling and draining the pipeline
  double start_s;  // of the product
  double traffic_s;
};

Split split_of(const ProductShape& s, const ProductUnit& u, std::int64_t parts) {
  const auto depth = double(divided_up(s.k, parts));
  const double operands = double(s.batch) * double(s.m * s.k + s.k * s.n + s.m * s.n);
  // Parts are written and read again in float32.
  const double partial_bytes = parts > 1 ? 8.0 * double(s.batch * s.m * s.n) * double(parts) : 0.0;
  return {double(parts), depth, (depth + u.depth_loss) / depth,
          u.start_s + (parts > 1 ? u.split_s : 0.0),
          (operands * u.element_bytes + partial_bytes) / u.bytes_per_s};
}

/// What a tile makes of a split's time. `part`: of the reach, that the rows' order and alignment
/// leave.
ProductTime time_of(const ProductShape& s, const ProductUnit& u, const Tile& tile,
                    const Split& split, double part) {
  const auto tiles =
      double(s.batch * divided_up(s.m, tile.rows) * divided_up(s.n, tile.columns)) * split.parts;
  const double area = double(tile.rows * tile.columns);
  const double reuse = area / double(tile.rows + tile.columns);
  // Whole waves of all cores. Both are whole numbers below 2^53, whose quotient rounds to a whole
  // one only where it is one.
  const double waves = std::ceil(tiles / double(u.cores));
  const double work = waves * double(u.cores) * 2.0 * area * split.depth;
  const double lost = (reuse + u.tile_loss) / reuse / part;
  const double longer = split.longer * lost - 1.0;
  return {split.start_s, work / (u.peak_flops_per_s * u.reach) * (1.0 + longer * u.strength),
          split.traffic_s};
}

/// One row or one column is no work for tiles: each stored element is read once, and used once.
ProductTime vector_time(const ProductShape& s, const ProductUnit& u) {
  const double operands = double(s.batch) * double(s.m * s.k + s.k * s.n + s.m * s.n);
  return {u.start_s, 0.0, operands * u.element_bytes / u.bytes_per_s};
}

std::int64_t shortest_part(std::int64_t parts) {
  return parts > kUsualParts ? kShortestDeepPart : kShortestPart;
}

ProductTime best_time(const ProductShape& shape, const ProductUnit& unit,
                      std::span<const std::int64_t> splits) {
  if (shape.batch * shape.m * shape.n * shape.k == 0) return {};
  if (shape.m == 1 || shape.n == 1) return vector_time(shape, unit);
  const double turning = shape.along_depth ? 1.0 : unit.turned;
  const double part = std::min(aligned_part(shape, unit), turning);
  std::array<Split, kSplits.size()> possible;
  std::size_t many = 0;
  for (const std::int64_t parts : splits) {
    if (parts > 1 && shape.k / parts < shortest_part(parts)) break;
    possible[many++] = split_of(shape, unit, parts);
  }
  ProductTime best = time_of(shape, unit, kTiles.front(), possible.front(), part);
  for (const Tile& tile : kTiles) {
    for (const Split& split : std::span(possible).first(many)) {
      const ProductTime time = time_of(shape, unit, tile, split, part);
      if (time.total_s() < best.total_s()) best = time;
    }
  }
  return best;
}

}  // namespace

double ProductTime::total_s() const { return start_s + roofline_s(arithmetic_s, traffic_s); }

ProductTime product_time(const ProductShape& shape, const ProductUnit& unit) {
  return best_time(shape, unit, kSplits);
}

ProductTime implicit_product_time(const ProductShape& shape, const ProductUnit& unit) {
  return best_time(shape, unit, std::span(kSplits).first(kUsualSplits));
}

ProductTime whole_product_time(const ProductShape& shape, const ProductUnit& unit) {
  return best_time(shape, unit, kWhole);
}

ProductTime biased_product_time(const ProductShape& shape, const ProductUnit& unit) {
  if (unit.biased == 0.0) return product_time(shape, unit);
  ProductUnit own = unit;
  own.reach *= unit.biased;
  return whole_product_time(shape, own);
}

}  // namespace siliconprof
