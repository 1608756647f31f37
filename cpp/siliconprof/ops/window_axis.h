#pragma once

// One axis of a window that slides over data, as in convolution and pooling: window i, tap t looks
// at position i·stride + t - padding, if the axis has it.

#include <cstdint>
#include <string_view>

#include "siliconprof/ops/call.h"

namespace siliconprof {

struct WindowAxis {
  std::int64_t length;   // of the data
  std::int64_t kernel;   // taps of a window
  std::int64_t stride;   // between windows
  std::int64_t padding;  // positions before and after the data that windows may cover

  std::int64_t windows() const { return (length + 2 * padding - kernel) / stride + 1; }
  std::int64_t position(std::int64_t window, std::int64_t tap) const {
    return window * stride + tap - padding;
  }
  bool has(std::int64_t position) const { return position >= 0 && position < length; }

  /// Windows [first, last) whose tap falls on the data.
  std::int64_t first_window(std::int64_t tap) const;
  std::int64_t last_window(std::int64_t tap) const;

  /// (window, tap) that fall on the data.
  std::int64_t pairs() const;
  /// Positions of the data that some window covers.
  std::int64_t covered() const;
  /// Taps that fall on the data for some window.
  std::int64_t taps() const;
};

/// The axis, checked: throws ShapeError, naming the dim, for data that no window fits in or a
/// kernel of 0, ArgumentError for a stride below 1 or a padding outside [0, kernel).
WindowAxis window_axis(const OpCall& call, std::size_t length_dim, std::size_t kernel_dim,
                       double stride, double padding);

}  // namespace siliconprof
