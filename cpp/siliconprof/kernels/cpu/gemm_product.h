#pragma once

// Products of matrices by the tiles of gemm_kernels.h: for shapes that libraries are slower at
// (tiles_suit), and for sums that go on with a bias.

#include <cstdint>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {

/// C (m, n) = A·B + bias. A(i, l) at a[i·a_row + l·a_column], B(l, j) at b[l·b_row + j·b_column],
/// one step of each being 1; bias (n) or null.
template <class T>
struct GemmProduct {
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;
  const T* a;
  std::int64_t a_row;
  std::int64_t a_column;
  const T* b;
  std::int64_t b_row;
  std::int64_t b_column;
  T* c;
  std::int64_t c_row;
  const T* bias = nullptr;
};

/// True where these tiles beat a library's product on this CPU. In float32 where vectors fill
/// lines, all but tiny ones (on 16 threads of an Intel Xeon with AMX large ones take 0.75 to 0.9 of
/// the time, on 2 of an AMD EPYC 0.93 to 1.03); else where the depth or the columns are few beside
/// the largest size, and where A is brought together tall and small ones. From AVX2 on those of a
/// tile's few rows, but for tiny ones and few columns. In float64 where vectors fill lines, but for
/// tiny, shallow and single rows (0.4 to 0.98 of the time on these two). False in other formats.
bool tiles_suit(Dtype dtype, std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a);

/// All of them, T float or double; k gives threads and poll. What panels make that doesn't fit in
/// the caches is written past them where vectors fill lines. The same for any thread count.
template <class T>
void multiply(const KernelCall& k, const GemmProduct<T>& product);

/// batch products, whose operands follow each other; each comes out as multiply makes it.
template <class T>
void multiply_batch(const KernelCall& k, const GemmProduct<T>& first, std::int64_t batch);

/// What multiply_batch takes of kernel_scratch(): panels of B that a thread is at, rows of A that
/// are brought together, and the sums of a deep product's parts.
template <class T>
ScratchBytes panels_bytes(const GemmProduct<T>& product, std::int64_t batch, int threads);

}  // namespace siliconprof::cpu
