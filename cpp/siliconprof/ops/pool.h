#pragma once

// Pooling of channels-last images: the largest, or the mean, of each kernel × kernel window of a
// channel. x (batch, height, width, channels) → y (batch, windows_h, windows_w, channels), windows
// as in convolution.h. max_pool2d takes the first of the largest, of NaNs, which are above all,
// the last, and gives its position in the plane as well; padding is never taken. In avg_pool2d
// padding counts as zeros.
// Errors: what any op refuses (op.h), an empty plane or one of more elements than int32 counts,
// padding of more than half the kernel (ShapeError), and those of windows (convolution.h).
// Source: PyTorch's MaxPool2d and AvgPool2d [torch-ops].

#include "siliconprof/ops/op.h"
#include "siliconprof/ops/window_axis.h"

namespace siliconprof {

extern const Op kMaxPool2d;
/// position, dy → dx.
extern const Op kMaxPool2dBackward;
extern const Op kAvgPool2d;
/// dy → dx.
extern const Op kAvgPool2dBackward;

/// The sizes of a call of any of these.
struct Pooling {
  std::int64_t batch;
  std::int64_t channels;
  WindowAxis rows;
  WindowAxis columns;

  std::int64_t plane() const { return rows.length * columns.length; }
  std::int64_t windows() const { return rows.windows() * columns.windows(); }
};
Pooling pooling_of(const OpCall& call);

}  // namespace siliconprof
