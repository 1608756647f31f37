#pragma once

// How long a convolution takes: its product (product_time.h), counted without the taps that fall
// beside the data, and the copies that put the data's channels last and the result's back.

#include "siliconprof/devices/product_time.h"
#include "siliconprof/ops/op.h"

namespace siliconprof {

struct ConvolutionUnit {
  double start_s = 0.0;
  /// Times the product's own time.
  double work = 1.0;
  /// At which both ways of the copies run; 0: there are none.
  double copy_bytes_per_s = 0.0;
};

struct ConvolutionTime {
  double start_s = 0.0;
  double product_s = 0.0;
  double copy_s = 0.0;

  double total_s() const { return start_s + product_s + copy_s; }
};

/// Of conv1d, conv2d and their gradients.
ConvolutionTime convolution_time(const OpCall& call, const ProductUnit& product,
                                 const ConvolutionUnit& unit);

}  // namespace siliconprof
