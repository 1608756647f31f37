#pragma once

// What a matrix library gives an engine: products of row-major matrices.

#include <cstdint>

#include "siliconprof/kernels/cpu/half_bits.h"

namespace siliconprof::cpu {

/// C = op(A)·op(B); op(A) (m, k), op(B) (k, n), C (m, n). ld* counts elements between stored rows.
/// With accumulate, adds to C.
template <class T, class Out = T>
struct GemmCall {
  bool transpose_a;
  bool transpose_b;
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
  const T* a;
  std::int64_t lda;
  const T* b;
  std::int64_t ldb;
  Out* c;
  std::int64_t ldc;
  bool accumulate = false;
};

/// y = A·x, or Aᵀ·x with transpose; A is stored (m, n). With accumulate, adds to y.
template <class T>
struct GemvCall {
  bool transpose;
  bool accumulate;
  std::int64_t m;
  std::int64_t n;
  const T* a;
  std::int64_t lda;
  const T* x;
  T* y;
};

/// Each on the calling thread alone, on several threads at once where they call it
/// (shared_products.h).
struct ProductFunctions {
  void (*gemm_float32)(const GemmCall<float>&);
  void (*gemm_float64)(const GemmCall<double>&);
  void (*gemv_float32)(const GemvCall<float>&);
  void (*gemv_float64)(const GemvCall<double>&);
  /// For products that each thread has of its own, one after the other; null for the above.
  void (*whole_gemv_float32)(const GemvCall<float>&) = nullptr;
  void (*whole_gemv_float64)(const GemvCall<double>&) = nullptr;
  /// Null where the library has none that beats conversion to float32.
  void (*gemm_bfloat16)(const GemmCall<BFloat16Bits, float>&) = nullptr;
};

}  // namespace siliconprof::cpu
