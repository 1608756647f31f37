#include "siliconprof/ops/memory_timeline.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace siliconprof {

std::int64_t MemoryPoint::live_bytes() const {
  return std::accumulate(by_role_bytes.begin(), by_role_bytes.end(), std::int64_t{0});
}

MemoryTimeline::MemoryTimeline(std::vector<MemoryPoint> points) {
  for (const MemoryPoint& point : points) peak_bytes_ = std::max(peak_bytes_, point.live_bytes());
  if (!points.empty()) {
    points_ = std::make_shared<const std::vector<MemoryPoint>>(std::move(points));
  }
}

const std::vector<MemoryPoint>& MemoryTimeline::points() const {
  static const std::vector<MemoryPoint> none;
  return points_ ? *points_ : none;
}

}  // namespace siliconprof
