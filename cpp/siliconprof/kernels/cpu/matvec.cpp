#include "siliconprof/kernels/cpu/matvec.h"

#include <algorithm>
#include <cstring>

#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/shared_products.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

// 50 ms at 5 GB/s, which one slow core reads.
constexpr std::int64_t kBytesBetweenPolls = std::int64_t{256} << 20;
// A thread's share is worth its start from this many elements of A on.
constexpr std::int64_t kGrainElements = 32768;
// Columns of a thread's share: whole lines, long enough for the prefetcher.
constexpr std::int64_t kGrainColumns = 1024;

struct Problem {
  const KernelCall& call;
  bool transpose;
  std::int64_t m;
  std::int64_t n;

  std::int64_t results() const { return transpose ? n : m; }
};

/// Calls body(first_row, rows) on ranges of rows of A, with a poll after each.
template <class Body>
void for_row_panels(const Problem& p, const Body& body) {
  const std::int64_t row_bytes = p.n * size_bytes(p.call.call.dtype);
  const std::int64_t panel = std::max<std::int64_t>(1, kBytesBetweenPolls / row_bytes);
  for (std::int64_t row = 0; row < p.m; row += panel) {
    body(row, std::min(panel, p.m - row));
    if (p.call.poll) p.call.poll();
  }
}

template <class T>
void multiply(const Problem& p, void (*gemv)(const GemvCall<T>&)) {
  const T* a = p.call.inputs[0].as<const T>();
  const T* x = p.call.inputs[1].as<const T>();
  T* y = p.call.outputs[0].as<T>();
  for_row_panels(p, [&](std::int64_t row, std::int64_t rows) {
    const GemvCall<T> panel{.transpose = p.transpose,
                            .accumulate = p.transpose && row > 0,
                            .m = rows,
                            .n = p.n,
                            .a = a + row * p.n,
                            .lda = p.n,
                            .x = p.transpose ? x + row : x,
                            .y = p.transpose ? y : y + row};
    share_gemv(gemv, panel, p.call.threads);
  });
}

struct HalfScratch {
  Scratch x;
  Scratch y;
  Scratch partial;
};

/// y += Aᵀ·x. Blocks of rows have sums of their own, in `room` for as many columns: of a million
/// terms one after the other the last ones would lose most of their digits.
void add_in_blocks(const HalfKernels& kernels, const Float16Bits* a, std::int64_t stride,
                   const float* x, float* y, std::int64_t rows, std::int64_t columns, float* room) {
  constexpr std::int64_t block = 1024;
  if (rows <= block) return kernels.add_weighted_rows(a, stride, x, y, rows, columns);
  for (std::int64_t r = 0; r < rows; r += block) {
    std::memset(room, 0, std::size_t(columns) * sizeof(float));
    kernels.add_weighted_rows(a + r * stride, stride, x + r, room, std::min(block, rows - r),
                              columns);
    for (std::int64_t j = 0; j < columns; ++j) y[j] += room[j];
  }
}

/// y += Aᵀ·x for the rows of a panel, threads sharing columns: no thread adds to another's y.
void add_by_columns(const Problem& p, const HalfKernels& kernels, const Float16Bits* a,
                    const float* x, float* y, std::int64_t rows, Scratch& scratch) {
  float* room = scratch.floats(p.n);
  parallel_shares(
      p.call.threads, p.n, kGrainColumns, [&](std::int64_t begin, std::int64_t end, int) {
        add_in_blocks(kernels, a + begin, p.n, x, y + begin, rows, end - begin, room + begin);
      });
}

/// The same for few columns, threads sharing rows: each sums into a y of its own.
void add_by_rows(const Problem& p, const HalfKernels& kernels, const Float16Bits* a, const float* x,
                 float* y, std::int64_t rows, Scratch& scratch) {
  const std::int64_t parts = p.call.threads;
  float* partial = scratch.floats(2 * parts * p.n);
  float* room = partial + parts * p.n;
  std::memset(partial, 0, std::size_t(parts * p.n) * sizeof(float));
  const std::int64_t grain = std::max<std::int64_t>(4, kGrainElements / p.n);
  parallel_shares(p.call.threads, rows, grain,
                  [&](std::int64_t begin, std::int64_t end, int thread) {
                    add_in_blocks(kernels, a + begin * p.n, p.n, x + begin, partial + thread * p.n,
                                  end - begin, p.n, room + thread * p.n);
                  });
  for (std::int64_t part = 0; part < parts; ++part) {
    for (std::int64_t j = 0; j < p.n; ++j) y[j] += partial[part * p.n + j];
  }
}

void multiply_halves(const Problem& p) {
  static thread_local HalfScratch scratch;
  const Dtype dtype = p.call.call.dtype;
  const HalfKernels& kernels = vector_kernels().products(dtype);
  const std::int64_t terms = p.transpose ? p.m : p.n;
  const auto* a = p.call.inputs[0].as<const Float16Bits>();  // 2 bytes, whichever of the two
  float* x = scratch.x.floats(terms);
  float* y = scratch.y.floats(p.results());
  widen(dtype, p.call.inputs[1].data, x, terms, p.call.threads);
  if (p.transpose) std::memset(y, 0, std::size_t(p.n) * sizeof(float));
  for_row_panels(p, [&](std::int64_t row, std::int64_t rows) {
    const Float16Bits* panel = a + row * p.n;
    if (p.transpose && p.n >= p.call.threads * kGrainColumns) {
      add_by_columns(p, kernels, panel, x + row, y, rows, scratch.partial);
    } else if (p.transpose) {
      add_by_rows(p, kernels, panel, x + row, y, rows, scratch.partial);
    } else {
      const std::int64_t grain = std::max<std::int64_t>(1, kGrainElements / p.n);
      parallel_shares(p.call.threads, rows, grain, [&](std::int64_t begin, std::int64_t end, int) {
        kernels.rows_times_vector(panel + begin * p.n, p.n, x, y + row + begin, end - begin, p.n);
      });
    }
  });
  narrow(dtype, y, p.call.outputs[0].data, p.results(), p.call.threads);
}

}  // namespace

void run_matvec(const ProductFunctions& functions, const KernelCall& call) {
  if (done_with_nothing(call)) return;
  const std::int64_t m = call.call.dims[0];
  const std::int64_t n = call.call.dims[1];
  const Problem p{call, is_set(call.call.attributes[0]), m, n};
  switch (call.call.dtype) {
    case Dtype::Float64:
      return multiply(p, functions.gemv_float64);
    case Dtype::Float32:
    case Dtype::Tf32:
    case Dtype::Int32:
      return multiply(p, functions.gemv_float32);
    case Dtype::Float16:
    case Dtype::BFloat16:
      return multiply_halves(p);
  }
}

}  // namespace siliconprof::cpu
