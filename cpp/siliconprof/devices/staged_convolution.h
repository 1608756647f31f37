#pragma once

// Convolutions as MLX's kernels take them on Apple's GPUs [mlx-conv]. An implicit product stages
// windows in a core's memory, a tile at a time, and multiplies between two barriers, so that both
// add up. Where a version has no implicit kernel that fits, it writes the windows out first, each
// element looked up by its index, and multiplies them as any product [mlx-matmul]. Tiles and which
// way a convolution goes are the source's; rates are what is left to fit.

#include "siliconprof/ops/convolution.h"

namespace siliconprof {

/// Which windows a version writes out: none; of one axis, and of channels or outputs that are
/// neither few (up to 4, 16) nor a multiple of 16; or all.
enum class WritesOut { None, Unfit, All };

struct StagedUnit {
  double flops_per_s = 0.0;
  double bytes_per_s = 0.0;
  /// Of windows that are staged; 0: the library has no such kernels.
  double staged_elements_per_s = 0.0;
  /// Part of it that is left where a vector of channels isn't read at once: of up to 4 channels, or
  /// in the general kernel.
  double few_part = 1.0;
  WritesOut writes_out = WritesOut::None;
  /// Of windows that are written out along one axis, and part of it that is left along two.
  double written_elements_per_s = 0.0;
  double two_axes_part = 1.0;
};

struct StagedTime {
  double product_s = 0.0;
  double written_s = 0.0;
};

/// True where an implicit kernel of any version fits: channels and outputs that are few (up to 4,
/// 16) or a multiple of 16.
bool has_fitting_kernel(const Convolution& convolution);

/// `traffic_bytes` are those of data, weights and result. MLX's Winograd kernels for wide 3 x 3
/// convolutions are not modelled: no published times of them were found.
StagedTime staged_convolution_time(const Convolution& convolution, double traffic_bytes,
                                   double element_bytes, const StagedUnit& unit);

}  // namespace siliconprof
