#include "siliconprof/kernels/cpu/half_conversion.h"

#include "siliconprof/kernels/cpu/half_bits.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

// A thread's share is worth its start only from some microseconds of work on.
constexpr std::int64_t kGrain = 16384;

}  // namespace

void widen(Dtype dtype, const void* in, float* out, std::int64_t n, int threads) {
  const HalfKernels& kernels = vector_kernels().products(dtype);
  const auto* from = static_cast<const Float16Bits*>(in);  // 2 bytes, whichever of the two
  parallel_shares(threads, n, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    kernels.widen(from + begin, out + begin, end - begin);
  });
}

void narrow(Dtype dtype, const float* in, void* out, std::int64_t n, int threads) {
  const HalfKernels& kernels = vector_kernels().products(dtype);
  auto* to = static_cast<Float16Bits*>(out);
  parallel_shares(threads, n, kGrain, [&](std::int64_t begin, std::int64_t end, int) {
    kernels.narrow(in + begin, to + begin, end - begin);
  });
}

}  // namespace siliconprof::cpu
