#pragma once

// How long a tiled matrix unit takes for a product: whole tiles in whole waves, inside a roofline.
// [nvidia-gemm] NVIDIA, Matrix Multiplication Background User's Guide, DU-09799, chapter 3.

#include "siliconprof/ops/product.h"

namespace siliconprof {

/// A unit of `cores` that each work on one tile of the result at a time.
struct ProductUnit {
  double peak_flops_per_s = 0.0;
  double bytes_per_s = 0.0;
  int cores = 1;
  double element_bytes = 4.0;
  /// Part of the peak that the inner loop of an endless tile reaches.
  double reach = 1.0;
  /// A tile of tm by tn reaches r / (r + tile_loss) of that, r = tm·tn / (tm + tn): what loading
  /// its operands costs.
  double tile_loss = 0.0;
  /// Steps of depth that filling and draining the pipeline take.
  double depth_loss = 0.0;
  double start_s = 0.0;
  /// Adding up the parts of a product that is split along its depth.
  double split_s = 0.0;
  /// Part of the reach that is left where stored rows aren't multiples of 16 bytes, which rules the
  /// wide loads out; 1 where that doesn't matter.
  double unaligned = 1.0;
  /// The same where only those of the result aren't.
  double unaligned_result = 1.0;
  /// Instead of both where those that aren't are multiples of 4 bytes, whole words, at least. 0: no
  /// better than any.
  double unaligned_words = 0.0;
  /// Part that is left where stored rows don't run along the depth; 1 for formats whose tiles the
  /// unit can turn while it loads them.
  double turned = 1.0;
  /// The same where those of one factor do, as in the gradient of a layer's data.
  double turned_one = 1.0;
  /// Of the cores, by what those did in a cycle that the parts and losses above are of: the time
  /// that all of them add together is so much longer, or shorter, beside arithmetic.
  double strength = 1.0;
  /// Part of the reach that is left where a tile gets its bias before it is stored; such a product
  /// isn't split along its depth. 0: a bias changes nothing.
  double biased = 0.0;
};

struct ProductTime {
  double start_s = 0.0;
  double arithmetic_s = 0.0;
  double traffic_s = 0.0;

  /// Start, then the slower of the two.
  double total_s() const;
};

/// That of the best tile and split. Zeros for a product with nothing to do.
ProductTime product_time(const ProductShape& shape, const ProductUnit& unit);

/// The same of a convolution's, whose depth is split in a few parts only, however deep.
ProductTime implicit_product_time(const ProductShape& shape, const ProductUnit& unit);

/// The same where the depth isn't split.
ProductTime whole_product_time(const ProductShape& shape, const ProductUnit& unit);

/// The same of a product whose result gets a bias as it is stored.
ProductTime biased_product_time(const ProductShape& shape, const ProductUnit& unit);

}  // namespace siliconprof
