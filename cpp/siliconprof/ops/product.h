#pragma once

// The matrix product that a matrix unit sees in an op.

#include <cstdint>

namespace siliconprof {

/// batch products (m, k)·(k, n) → (m, n), and how many elements lie between stored rows of the two
/// factors and of the result.
struct ProductShape {
  std::int64_t batch = 1;
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
  /// Stored rows of both factors run along the depth, (m, k) and (n, k).
  bool along_depth = true;

  bool operator==(const ProductShape&) const = default;
};

}  // namespace siliconprof
