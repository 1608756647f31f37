#include "siliconprof/kernels/cpu/matmul.h"

#include <algorithm>
#include <cmath>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/float_operands.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/gemm_product.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/kernels/cpu/half_conversion.h"
#include "siliconprof/kernels/cpu/parallel.h"
#include "siliconprof/kernels/cpu/piece_pacer.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/shared_products.h"

namespace siliconprof::cpu {
namespace {

// What a core with 128-bit vectors does: the first piece is cut for it.
constexpr double kSlowCoreFlopsPerSecond = 20e9;
// kLongestPiece_s of reading at the rate of one slow core.
constexpr double kMostOperandBytes = kLongestPiece_s * 5e9;
// Below these sizes one product is too small to share, and threads take whole products.
constexpr double kSmallProductFlops = 6e7;
constexpr std::int64_t kSmallMatrixElements = std::int64_t{1} << 20;
// Rows of C a thread that go to the library at once. OpenBLAS copies as many of A as 32 MiB a
// thread hold, and keeps that memory: with 2048 it is a tenth, at the same speed.
constexpr std::int64_t kRowsOfThread = 2048;
// Its SGEMM_DEFAULT_Q and, of Haswell and Zen, SGEMM_DEFAULT_P.
constexpr std::int64_t kCopiedTerms = 320;
constexpr std::int64_t kCopiedColumns = 320;

struct Problem {
  const ProductFunctions& functions;
  const KernelCall& call;
  bool transpose_a;
  bool transpose_b;
  std::int64_t batch;
  std::int64_t m;
  std::int64_t k;
  std::int64_t n;

  double flops_each() const { return 2.0 * double(m) * double(k) * double(n); }
};

Problem make_problem(const ProductFunctions& functions, const KernelCall& call) {
  const std::int64_t batch = call.call.dims[0];
  const std::int64_t m = call.call.dims[1];
  const std::int64_t k = call.call.dims[2];
  const std::int64_t n = call.call.dims[3];
  return {
      functions, call, is_set(call.call.attributes[0]), is_set(call.call.attributes[1]), batch, m,
      k,         n};
}

template <class T, class Out>
GemmCall<T, Out> whole(const Problem& p, const T* a, const T* b, Out* c) {
  return {.transpose_a = p.transpose_a,
          .transpose_b = p.transpose_b,
          .m = p.m,
          .k = p.k,
          .n = p.n,
          .a = a,
          .lda = p.transpose_a ? p.m : p.k,
          .b = b,
          .ldb = p.transpose_b ? p.k : p.n,
          .c = c,
          .ldc = p.n};
}

std::int64_t rows_at_once(std::int64_t m, std::int64_t k, std::int64_t n, int threads) {
  return std::min(m, kRowsOfThread * shared_sides(m, k, n, threads).rows);
}

PiecePacer& pacer(int threads) {
  static thread_local PiecePacer float32_pacer(kSlowCoreFlopsPerSecond * threads);
  return float32_pacer;
}

/// Calls body(first_row, panel) for panels of rows of C, with a poll between them. Panels' `c` is
/// that of the whole.
template <class T, class Out, class Body>
void for_row_panels(const GemmCall<T, Out>& gemm, int threads, const Poll& poll, const Body& body) {
  SteadyClock clock;
  // float64 is counted double: it runs at half the rate.
  const double row_flops = 2.0 * double(gemm.k) * double(gemm.n) * (sizeof(T) == 8 ? 2 : 1);
  const auto at_once = double(rows_at_once(gemm.m, gemm.k, gemm.n, threads));
  for (std::int64_t begin = 0; begin < gemm.m;) {
    const std::int64_t left = gemm.m - begin;
    const double most_rows = std::clamp(pacer(threads).most_flops() / row_flops, 1.0, at_once);
    const auto pieces = std::int64_t(std::ceil(double(left) / most_rows));
    GemmCall<T, Out> panel = gemm;
    panel.m = divided_up(left, pieces);
    panel.a += begin * (gemm.transpose_a ? 1 : gemm.lda);
    const double begin_s = clock.now_s();
    body(begin, panel);
    pacer(threads).add(row_flops * double(panel.m), clock.now_s() - begin_s);
    begin += panel.m;
    if (poll) poll();
  }
}

/// One panel, cut along k as well where its operands take long to read: few rows of great depth.
template <class T, class Out>
void multiply_panel(void (*gemm)(const GemmCall<T, Out>&), const GemmCall<T, Out>& panel,
                    int threads, const Poll& poll) {
  const double operand_bytes = double(panel.m + panel.n) * double(panel.k) * sizeof(T);
  const auto pieces =
      std::int64_t(std::clamp(std::ceil(operand_bytes / kMostOperandBytes), 1.0, double(panel.k)));
  for (std::int64_t i = 0; i < pieces; ++i) {
    if (i > 0 && poll) poll();
    const std::int64_t begin = panel.k * i / pieces;
    GemmCall<T, Out> part = panel;
    part.k = panel.k * (i + 1) / pieces - begin;
    part.a += begin * (panel.transpose_a ? panel.lda : 1);
    part.b += begin * (panel.transpose_b ? 1 : panel.ldb);
    part.accumulate = i > 0;
    share_gemm(gemm, part, threads);
  }
}

template <class T>
void multiply(void (*gemm)(const GemmCall<T>&), const GemmCall<T>& all, int threads,
              const Poll& poll) {
  for_row_panels(all, threads, poll, [&](std::int64_t row, GemmCall<T> panel) {
    panel.c += row * all.ldc;
    multiply_panel(gemm, panel, threads, poll);
  });
}

/// As multiply, for products that come out in float32 and are narrowed panel by panel, while they
/// are still in a cache.
template <class T>
void multiply_and_narrow(void (*gemm)(const GemmCall<T, float>&), const GemmCall<T, float>& all,
                         Dtype dtype, Float16Bits* c, int threads, const Poll& poll) {
  for_row_panels(all, threads, poll, [&](std::int64_t row, GemmCall<T, float> panel) {
    panel.c = wide_scratch().result(panel.m * panel.n);
    multiply_panel(gemm, panel, threads, poll);
    narrow(dtype, panel.c, c + row * all.ldc, panel.m * panel.n, threads);
  });
}

/// One of the products, without its operands.
template <class T>
GemmProduct<T> tiled_product(const Problem& p) {
  return {.m = p.m,
          .k = p.k,
          .n = p.n,
          .a = nullptr,
          .a_row = p.transpose_a ? 1 : p.k,
          .a_column = p.transpose_a ? p.m : 1,
          .b = nullptr,
          .b_row = p.transpose_b ? 1 : p.n,
          .b_column = p.transpose_b ? p.k : 1,
          .c = nullptr,
          .c_row = p.n};
}

/// True where it multiplied by matrix tiles.
bool multiply_by_half_tiles(const Problem& p, std::int64_t index, int threads, const Poll& poll) {
  HalfProduct product = half_product(p.call.call.dtype, tiled_product<float>(p));
  if (!half_tiles_suit(product)) return false;
  product.a = p.call.inputs[0].as<const std::uint16_t>() + index * p.m * p.k;
  product.b = p.call.inputs[1].as<const std::uint16_t>() + index * p.k * p.n;
  product.c = p.call.outputs[0].as<std::uint16_t>() + index * p.m * p.n;
  return multiply_halves({p.call.call, p.call.inputs, p.call.outputs, threads, poll}, product,
                         *half_machine());
}

void multiply_wide(const Problem& p, std::int64_t index, int threads, const Poll& poll) {
  const Dtype dtype = p.call.call.dtype;
  // 2 bytes an element, whichever of the two formats.
  const auto* a = p.call.inputs[0].as<const BFloat16Bits>() + index * p.m * p.k;
  const auto* b = p.call.inputs[1].as<const BFloat16Bits>() + index * p.k * p.n;
  auto* c = p.call.outputs[0].as<Float16Bits>() + index * p.m * p.n;
  if (dtype == Dtype::BFloat16 && p.functions.gemm_bfloat16 != nullptr) {
    multiply_and_narrow(p.functions.gemm_bfloat16, whole<BFloat16Bits, float>(p, a, b, nullptr),
                        dtype, c, threads, poll);
    return;
  }
  float* wide_a = wide_scratch().operand(0, p.m * p.k);
  float* wide_b = wide_scratch().operand(1, p.k * p.n);
  widen(dtype, a, wide_a, p.m * p.k, threads);
  widen(dtype, b, wide_b, p.k * p.n, threads);
  multiply_and_narrow(p.functions.gemm_float32, whole<float, float>(p, wide_a, wide_b, nullptr),
                      dtype, c, threads, poll);
}

template <class T>
void multiply_floats(const Problem& p, void (*gemm)(const GemmCall<T>&), std::int64_t index,
                     int threads, const Poll& poll) {
  const T* a = p.call.inputs[0].as<const T>() + index * p.m * p.k;
  const T* b = p.call.inputs[1].as<const T>() + index * p.k * p.n;
  multiply(gemm, whole(p, a, b, p.call.outputs[0].as<T>() + index * p.m * p.n), threads, poll);
}

void multiply_one(const Problem& p, std::int64_t index, int threads, const Poll& poll) {
  switch (p.call.call.dtype) {
    case Dtype::Float64:
      return multiply_floats(p, p.functions.gemm_float64, index, threads, poll);
    case Dtype::Float32:
    case Dtype::Tf32:
    case Dtype::Int32:
      return multiply_floats(p, p.functions.gemm_float32, index, threads, poll);
    case Dtype::Float16:
    case Dtype::BFloat16:
      if (multiply_by_half_tiles(p, index, threads, poll)) return;
      return multiply_wide(p, index, threads, poll);
  }
}

bool is_small(const Problem& p) {
  const std::int64_t largest = std::max({p.m * p.k, p.k * p.n, p.m * p.n});
  return p.flops_each() < kSmallProductFlops && largest <= kSmallMatrixElements;
}

/// True where threads take whole products: a batch of small ones.
bool shares_batch(const Problem& p) {
  return p.call.threads > 1 && is_small(p) && shares_whole(p.flops_each(), p.batch, p.call.threads);
}

/// One row times a matrix: all there is to do is to read the matrix once.
template <class T>
void multiply_row(const Problem& p, void (*gemv)(const GemvCall<T>&), std::int64_t index) {
  gemv({.transpose = !p.transpose_b,
        .accumulate = false,
        .m = p.transpose_b ? p.n : p.k,
        .n = p.transpose_b ? p.k : p.n,
        .a = p.call.inputs[1].as<const T>() + index * p.k * p.n,
        .lda = p.transpose_b ? p.k : p.n,
        .x = p.call.inputs[0].as<const T>() + index * p.k,
        .y = p.call.outputs[0].as<T>() + index * p.n});
}

void multiply_small_one(const Problem& p, std::int64_t index) {
  const Dtype dtype = p.call.call.dtype;
  const Poll none;
  const ProductFunctions& f = p.functions;
  if (p.m == 1 && dtype == Dtype::Float32) {
    multiply_row(p, f.whole_gemv_float32 ? f.whole_gemv_float32 : f.gemv_float32, index);
  } else if (p.m == 1 && dtype == Dtype::Float64) {
    multiply_row(p, f.whole_gemv_float64 ? f.whole_gemv_float64 : f.gemv_float64, index);
  } else {
    multiply_one(p, index, 1, none);
  }
}

void multiply_small_ones(const Problem& p) {
  const int threads = p.call.threads;
  const double most = pacer(threads).most_flops() / p.flops_each();
  const auto group = std::int64_t(std::clamp(most, double(threads), 1e9));
  for (std::int64_t start = 0; start < p.batch; start += group) {
    const std::int64_t count = std::min(group, p.batch - start);
    parallel_shares(threads, count, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) multiply_small_one(p, start + i);
    });
    if (p.call.poll) p.call.poll();
  }
}

template <class T>
void multiply_by_tiles(const Problem& p) {
  GemmProduct<T> product = tiled_product<T>(p);
  product.a = p.call.inputs[0].as<const T>();
  product.b = p.call.inputs[1].as<const T>();
  product.c = p.call.outputs[0].as<T>();
  multiply_batch(p.call, product, p.batch);
}

bool is_tiled(const Problem& p) {
  return tiles_suit(p.call.call.dtype, p.m, p.k, p.n, p.transpose_a);
}

/// What body(problem) says of a call that isn't run.
template <class Body>
auto planned(const OpCall& call, int threads, const Body& body) {
  const Poll no_poll;
  const ProductFunctions no_library{};
  const KernelCall k{call, {}, {}, threads, no_poll};
  return body(make_problem(no_library, k));
}

}  // namespace

void multiply_by_library(const ProductFunctions& functions, const KernelCall& call) {
  const Problem p = make_problem(functions, call);
  if (shares_batch(p)) return multiply_small_ones(p);
  for (std::int64_t i = 0; i < p.batch; ++i) multiply_one(p, i, call.threads, call.poll);
  wide_scratch().trim();
}

void run_matmul(const ProductFunctions& functions, const KernelCall& call) {
  if (done_with_nothing(call)) return;
  const Problem p = make_problem(functions, call);
  if (!is_tiled(p)) return multiply_by_library(functions, call);
  return call.call.dtype == Dtype::Float64 ? multiply_by_tiles<double>(p)
                                           : multiply_by_tiles<float>(p);
}

std::optional<HalfScratch> matmul_half_scratch(const OpCall& call, int threads) {
  return planned(call, threads, [threads](const Problem& p) -> std::optional<HalfScratch> {
    const HalfProduct product = half_product(p.call.call.dtype, tiled_product<float>(p));
    if (size_bytes(product.dtype) != 2 || !half_tiles_suit(product)) return std::nullopt;
    if (!shares_batch(p)) return half_scratch(product, *half_machine(), threads);
    HalfScratch scratch = half_scratch(product, *half_machine(), 1);
    scratch.panels.other = scratch.panels.caller;
    scratch.sums_bytes *= threads;  // each has its own
    return scratch;
  });
}

ScratchBytes matmul_panels_bytes(const OpCall& call, int threads) {
  return planned(call, threads, [threads](const Problem& p) {
    if (!is_tiled(p)) return ScratchBytes{};
    return p.call.call.dtype == Dtype::Float64
               ? panels_bytes(tiled_product<double>(p), p.batch, threads)
               : panels_bytes(tiled_product<float>(p), p.batch, threads);
  });
}

std::int64_t most_rows_at_once(const OpCall& call, int threads) {
  return rows_at_once(call.dims[1], call.dims[2], call.dims[3], threads);
}

std::int64_t copied_operand_bytes(const OpCall& call, int threads) {
  if (size_bytes(call.dtype) > 4) return 0;
  return planned(call, threads, [&](const Problem& p) -> std::int64_t {
    if (is_tiled(p)) return 0;
    std::int64_t rows = p.m;
    std::int64_t columns = p.n;
    std::int64_t cells = threads;
    if (!shares_batch(p)) {
      const std::int64_t at_once = most_rows_at_once(call, threads);
      const GridSides sides = shared_sides(at_once, p.k, p.n, threads);
      rows = largest_share(at_once, sides.rows);
      columns = largest_share(p.n, sides.columns);
      cells = sides.rows * sides.columns;
    }
    const std::int64_t copied = rows + std::min(columns, kCopiedColumns);
    return cells * copied * std::min(p.k, kCopiedTerms) * std::int64_t(sizeof(float));
  });
}

}  // namespace siliconprof::cpu
