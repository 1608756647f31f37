#pragma once

// Convolutions in the frequency domain, as cuDNN's heuristics choose them, also where that is
// slower: data, weights and results are transformed in tiles, and each frequency is a product of
// its own. [fft-conv] Vasilache et al., "Fast Convolutional Nets With fbfft", ICLR 2015.

#include <optional>

#include "siliconprof/devices/product_time.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof {

/// Transforms of one size, and the sizes at which a library takes them.
struct FourierWay {
  std::int64_t tile = 0;  // places a side; 0: never
  /// Of the result.
  double elements = 0.0;
  double most_elements = 0.0;
  /// Of the data along each axis.
  double side = 0.0;
  double most_side = 0.0;
  /// The fewer of channels and outputs.
  double channels = 0.0;
  double most_channels = 0.0;
  /// At least.
  double images = 0.0;
  /// Times the frequencies' own products.
  double work = 1.0;
  /// Images larger than a tile are cut into several; else they are not transformed.
  bool cuts = false;
};

struct FourierTime {
  double product_s = 0.0;
  double transform_s = 0.0;
};

/// Of a convolution or, with `of_data`, of the gradient for its data; none where the way isn't
/// taken. Transforms are written and read at transform_bytes_per_s.
std::optional<FourierTime> fourier_time(const Convolution& c, bool of_data, const FourierWay& way,
                                        const ProductUnit& product, double transform_bytes_per_s);

}  // namespace siliconprof
