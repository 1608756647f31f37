#pragma once

// How long a convolution takes. Either its product (product_time.h), taps that fall beside the data
// multiplied as zeros, and the copies that put the data's channels last and the result's back. Or,
// where a library's convolutions reach a rate of their own, whole tiles of channels by outputs at
// that rate, inside a roofline: an implicit product that is never written out. A library
// without one writes it out: each element under each window is copied first, looked up by its
// index. MLX's kernels have a file of their own (staged_convolution.h), and so have those that
// cuDNN does in the frequency domain (fourier_convolution.h).

#include <array>

#include "siliconprof/devices/fourier_convolution.h"
#include "siliconprof/devices/product_time.h"
#include "siliconprof/devices/staged_convolution.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof {

struct ConvolutionUnit {
  double start_s = 0.0;
  /// Times the product's own time.
  double work = 1.0;
  /// Times that, in the gradient of data whose windows lie a stride apart: 1 where only the taps
  /// that such windows have are multiplied.
  double strided = 1.0;
  /// Of the forward pass or the gradient of data.
  std::array<FourierWay, 4> fourier{};
  /// Windows along a row are filled up to multiples of this.
  std::int64_t columns_tile = 1;
  /// Times the products of Winograd's gradients of weights, whose windows of 3 x 3 lie at every
  /// position; 0: they are timed as any other.
  double winograd = 0.0;
  /// At which data, weights and gradients are transformed for those and for Fourier's.
  double transform_bytes_per_s = 1.0;
  /// At which both ways of the copies run; 0: there are none.
  double copy_bytes_per_s = 0.0;
  /// Times the product's own time where windows of one place lie at every position and the library
  /// takes data and result where they lie; 0: it never does.
  double pointwise = 0.0;
  /// Of a whole tile; 0: the convolution is timed as its product.
  double flops_per_s = 0.0;
  double bytes_per_s = 0.0;
  /// Outputs and channels are filled up to multiples of these; outputs of windows along one axis
  /// to a multiple of their own.
  std::int64_t outputs_tile = 1;
  std::int64_t channels_tile = 1;
  std::int64_t row_outputs_tile = 1;
  /// Elements of written-out windows; 0: a library that never writes them out.
  double unfolded_elements_per_s = 0.0;
  /// With a rate of staged elements, in place of the tiles.
  StagedUnit staged{};
};

struct ConvolutionTime {
  double start_s = 0.0;
  double product_s = 0.0;
  double copy_s = 0.0;

  double total_s() const { return start_s + product_s + copy_s; }
};

/// Of conv1d, conv2d and their gradients in tiles of their own; `unit` has their rates. product_s
/// is the slower of arithmetic, on whole windows, and traffic; copy_s what writing windows out, or
/// putting channels last and back, takes.
ConvolutionTime tiled_convolution_time(const OpCall& call, const Cost& cost,
                                       const ConvolutionUnit& unit);

/// Of conv1d, conv2d and their gradients, as products.
ConvolutionTime convolution_time(const OpCall& call, const Cost& cost, const ProductUnit& product,
                                 const ConvolutionUnit& unit);

}  // namespace siliconprof
