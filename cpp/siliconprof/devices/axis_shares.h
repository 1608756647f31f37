#pragma once

// How PyTorch's reduction on CUDA shares an axis that isn't the last among threads
// [pytorch-reduce]: threads of a group lie along the results first, the more of them along the axis
// the fewer results there are; groups share a long axis, and the last to end gathers their parts.

#include <cstdint>

namespace siliconprof {

struct AxisShares {
  std::int64_t values = 0;    // along the axis, of a thread where one group has all of it
  std::int64_t gathered = 0;  // parts of a result, by a thread of the last group; 0 for one group

  bool operator==(const AxisShares&) const = default;
};

/// Of results (outer, inner) along an axis of `size`, on so many cores.
AxisShares axis_shares(std::int64_t outer, std::int64_t size, std::int64_t inner,
                       std::int64_t cores);

}  // namespace siliconprof
