#include <cstddef>
#include <type_traits>

#include "siliconprof/core/half.h"
#include "siliconprof/kernels/cpu/half_bits.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

// 128-bit vectors by the compilers' vector extension: SSE2 on x86-64, NEON on arm64.

namespace siliconprof::cpu {
namespace generic {

struct Float64Lanes {
  using Scalar = double;
  using Vec = double __attribute__((vector_size(16)));
  static constexpr std::int64_t kWidth = 2;
  static Vec fill(double v) { return Vec{v, v}; }
  static Vec load(const double* p) {
    Vec v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(double* p, Vec v) { __builtin_memcpy(p, &v, sizeof v); }
  static void stream(double* p, Vec v) { store(p, v); }
  static void fence() {}
  static Vec add(Vec a, Vec b) { return a + b; }
  static Vec mul(Vec a, Vec b) { return a * b; }
  static Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
  static Vec least(Vec bound, Vec x) { return chosen(x > bound, bound, x); }
  static Vec most(Vec bound, Vec x) { return chosen(bound > x, bound, x); }
  static Vec if_above(Vec x, Vec y, Vec a, Vec b) { return chosen(x > y, a, b); }
  static Vec if_at_most(Vec x, Vec y, Vec a, Vec b) { return chosen(x <= y, a, b); }
  template <class Mask>
  static Vec chosen(Mask mask, Vec a, Vec b) {
    return (Vec)((mask & (Mask)a) | (~mask & (Mask)b));
  }
  static double sum(Vec v) { return v[0] + v[1]; }
  static Vec max(Vec a, Vec b) { return a > b ? a : b; }
  static double largest(Vec v) { return v[0] > v[1] ? v[0] : v[1]; }
  // In two steps, so that subnormal results come out.
  static Vec scaled(Vec v, Vec t) {
    using Int = std::int64_t __attribute__((vector_size(16)));
    const Int n = (Int)t - 0x4338000000000000;
    const Int half = n >> 1;
    return v * (Vec)((half + 1023) << 52) * (Vec)((n - half + 1023) << 52);
  }
};

struct Float32Lanes {
  using Scalar = float;
  using Vec = float __attribute__((vector_size(16)));
  static constexpr std::int64_t kWidth = 4;
  static Vec fill(double v) { return Vec{float(v), float(v), float(v), float(v)}; }
  static Vec load(const float* p) {
    Vec v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  template <class Half, class Bits>
  static Vec widened(const Bits* p) {
    Half half[kWidth];
    __builtin_memcpy(static_cast<void*>(half), p, sizeof half);
    return Vec{float(half[0]), float(half[1]), float(half[2]), float(half[3])};
  }
  static Vec load(const Float16Bits* p) { return widened<float16>(p); }
  static Vec load(const BFloat16Bits* p) { return widened<bfloat16>(p); }
  template <class Half, class Bits>
  static void narrowed(Bits* p, Vec v) {
    const Half half[kWidth] = {Half(v[0]), Half(v[1]), Half(v[2]), Half(v[3])};
    __builtin_memcpy(p, half, sizeof half);
  }
  static void store(float* p, Vec v) { __builtin_memcpy(p, &v, sizeof v); }
  static void store(Float16Bits* p, Vec v) { narrowed<float16>(p, v); }
  static void store(BFloat16Bits* p, Vec v) { narrowed<bfloat16>(p, v); }
  template <class Element>
  static void stream(Element* p, Vec v) {
    store(p, v);
  }
  static void fence() {}
  static Vec add(Vec a, Vec b) { return a + b; }
  static Vec mul(Vec a, Vec b) { return a * b; }
  static Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
  static Vec least(Vec bound, Vec x) { return chosen(x > bound, bound, x); }
  static Vec most(Vec bound, Vec x) { return chosen(bound > x, bound, x); }
  static Vec if_above(Vec x, Vec y, Vec a, Vec b) { return chosen(x > y, a, b); }
  static Vec if_at_most(Vec x, Vec y, Vec a, Vec b) { return chosen(x <= y, a, b); }
  template <class Mask>
  static Vec chosen(Mask mask, Vec a, Vec b) {
    return (Vec)((mask & (Mask)a) | (~mask & (Mask)b));
  }
  static float sum(Vec v) { return (v[0] + v[1]) + (v[2] + v[3]); }
  static Vec max(Vec a, Vec b) { return a > b ? a : b; }
  static float largest(Vec v) {
    const float low = v[0] > v[1] ? v[0] : v[1];
    const float high = v[2] > v[3] ? v[2] : v[3];
    return low > high ? low : high;
  }
  // In two steps, so that subnormal results come out.
  static Vec scaled(Vec v, Vec t) {
    using Int = std::int32_t __attribute__((vector_size(16)));
    const Int n = (Int)t - 0x4b400000;
    const Int half = n >> 1;
    return v * (Vec)((half + 127) << 23) * (Vec)((n - half + 127) << 23);
  }
};

#include "siliconprof/kernels/cpu/vector_loops.inc"

}  // namespace generic

constinit const VectorKernels kGenericVectorKernels = generic::make_vector_kernels("generic");

}  // namespace siliconprof::cpu
