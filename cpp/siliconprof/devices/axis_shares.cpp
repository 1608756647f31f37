#include "siliconprof/devices/axis_shares.h"

#include <algorithm>
#include <bit>

#include "siliconprof/core/rounding.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kThreads = 512;  // of a group whose threads load one result's element each
constexpr std::int64_t kWidest = 32;    // threads along the results
constexpr std::int64_t kLeastValues = 16;
constexpr std::int64_t kMostValues = 256;
// By the source, 2048, as many as a core can hold; an H200's times are those of half as many again.
constexpr std::int64_t kThreadsOfCore = 3072;

std::int64_t power_of_2(std::int64_t n) { return std::int64_t(std::bit_floor(std::uint64_t(n))); }

std::int64_t loaded_at_once(std::int64_t inner) {
  return inner % 4 == 0 ? 4 : inner % 2 == 0 ? 2 : 1;
}

}  // namespace

AxisShares axis_shares(std::int64_t outer, std::int64_t size, std::int64_t inner,
                       std::int64_t cores) {
  if (outer * size * inner == 0) return {};
  const std::int64_t loaded = loaded_at_once(inner);
  const std::int64_t columns = outer * inner / loaded;
  const std::int64_t width = std::min(power_of_2(columns), kWidest);
  const std::int64_t height = std::min(power_of_2(size), kThreads / loaded / width);
  const bool along_the_axis = size >= kLeastValues * height || size >= kMostValues;
  const std::int64_t rows = along_the_axis ? height : 1;
  const std::int64_t values = divided_up(size, rows);
  const std::int64_t blocks = divided_up(columns, width);
  const std::int64_t room = kThreadsOfCore / (width * height) * cores;
  if (!along_the_axis || values < kMostValues || blocks > room) return {values, 0};
  const std::int64_t groups =
      std::max(std::min(divided_up(room, blocks), divided_up(values, kLeastValues)),
               divided_up(values, kMostValues));
  return {values, groups > 1 ? divided_up(groups, rows) : 0};
}

}  // namespace siliconprof
