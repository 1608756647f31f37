#include "siliconprof/kernels/cpu/gemm_product.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "siliconprof/kernels/cpu/gemm_dots.h"
#include "siliconprof/kernels/cpu/gemm_grid.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_multiplier.h"
#include "siliconprof/kernels/cpu/gemm_parts.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

template <class T>
T* room_of(const Multiplier<T>& multiplier) {
  return kernel_scratch().numbers<T>(multiplier.room());
}

/// For pieces of work short enough to be left to their end.
bool never_stops(double) { return true; }

double flops_of(double m, double k, double n) { return 2.0 * m * std::max(k, 1.0) * n; }

/// What multiplies, and whether past the caches: not where a second block of depth would read back
/// what the first wrote.
template <class T>
Multiplier<T> multiplier_of(const KernelCall& k, const GemmProduct<T>& p) {
  constexpr std::int64_t kLine = 64;
  Multiplier<T> multiplier{p, false};
  multiplier.stream = multiplier.kernels.streams() && tiles_exceed_cache(k) &&
                      p.k <= multiplier.choices.depth &&
                      p.c_row * std::int64_t(sizeof(T)) % kLine == 0 &&
                      reinterpret_cast<std::uintptr_t>(p.c) % kLine == 0;
  return multiplier;
}

/// Threads share a grid of rows by columns: each has a cell and then helps the next ones.
template <class T>
void share_grid(const KernelCall& k, const GemmGrid<T>& grid) {
  const std::int64_t numbers = grid.longest_strip().room();
  const std::int64_t cells = grid.cells();
  const std::int64_t turns = grid.turns_of_cell();
  std::vector<std::atomic<std::int64_t>> taken(static_cast<std::size_t>(cells));
  SharedPoll shared(k.poll);
  parallel_shares(k.threads, cells, 1, [&](std::int64_t begin, std::int64_t, int thread) {
    Pacer pacer{shared, thread};
    T* room = kernel_scratch().numbers<T>(numbers);
    for (std::int64_t i = 0; i < cells; ++i) {
      const std::int64_t cell = (begin + i) % cells;
      while (!shared.stopped()) {
        const std::int64_t turn = taken[std::size_t(cell)].fetch_add(1, std::memory_order_relaxed);
        if (turn >= turns) break;
        grid.multiply(cell, turn, room, pacer);
      }
    }
    if (grid.whole.stream) gemm_kernels().fence();
  });
  shared.rethrow();
}

/// Threads share terms: sums of parts of the depth, added in order. Where threads are more than
/// parts, several share the results of one.
template <class T>
void share_terms(const KernelCall& k, const GemmProduct<T>& p, std::int64_t parts) {
  const std::int64_t results = p.m * p.n;
  const GemmProduct<T> first = part_of<T>(p, 0, parts, nullptr);
  const Multiplier<T> of_first{first, false};
  const GemmGrid<T> sides = grid_of(of_first, int(std::max<std::int64_t>(1, k.threads / parts)));
  const std::int64_t shares = sides.cells();
  Scratch& callers = kernel_scratch();
  const std::int64_t each_room = part_room(p, parts);
  T* callers_room = callers.numbers<T>(each_room + parts * results);
  T* sums = callers_room + each_room;
  const double part_flops =
      flops_of(double(paced_rows(p.m)), double(p.k) / double(parts), double(p.n));
  run_by_flops(k, parts * shares, part_flops / double(shares),
               [&](std::int64_t begin, std::int64_t end) {
                 Scratch& own = kernel_scratch();
                 T* room = &own == &callers ? callers_room : own.numbers<T>(each_room);
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t part = i / shares;
                   const GemmProduct<T> piece = part_of(p, part, parts, sums + part * results);
                   const Multiplier<T> multiplier{piece, false};
                   const GemmGrid<T> grid{multiplier, sides.rows, sides.columns};
                   for (std::int64_t turn = 0; turn < grid.turns_of_cell(); ++turn) {
                     grid.multiply(i % shares, turn, room, never_stops);
                   }
                 }
               });
  run_by_flops(k, p.m, double(parts * p.n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      T* to = p.c + i * p.c_row;
      for (std::int64_t j = 0; j < p.n; ++j) to[j] = p.bias == nullptr ? T(0) : p.bias[j];
      for (std::int64_t part = 0; part < parts; ++part) {
        const T* from = sums + part * results + i * p.n;
        for (std::int64_t j = 0; j < p.n; ++j) to[j] += from[j];
      }
    }
  });
  callers.trim();
}

/// One product on the calling thread, by the same sums as on many; the B of the next or null.
template <class T>
void multiply_alone(const KernelCall& k, const GemmProduct<T>& p, const T* next_b) {
  if (suits_dots(p)) return share_dots(k, p);
  Multiplier<T> multiplier = multiplier_of(k, p);
  if (const std::int64_t parts = parts_of(multiplier); parts > 1) return share_terms(k, p, parts);
  multiplier.next_b = next_b;
  multiplier.multiply_panels(0, multiplier.panels(), room_of(multiplier), never_stops);
}

/// True where threads take the products of a batch whole.
template <class T>
bool takes_whole_products(const GemmProduct<T>& p, std::int64_t batch, int threads) {
  constexpr double kMostFlops = 1e9;
  const double flops = flops_of(double(p.m), double(p.k), double(p.n));
  return flops <= kMostFlops && shares_whole(flops, batch, threads);
}

bool float64_tiles_suit(std::int64_t m, std::int64_t k, std::int64_t n) {
  constexpr double kTinyFlops = 4e6;
  constexpr std::int64_t kShallowTerms = 1024;  // of all results of the shorter side
  return gemm_kernels().float64.streams() && m > 1 && k * std::min(m, n) >= kShallowTerms &&
         flops_of(double(m), double(k), double(n)) >= kTinyFlops;
}

bool float32_tiles_suit(std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a) {
  constexpr std::int64_t kSkinny = 8;
  // Rows of a transposed A are scattered: a library that copies it first catches up sooner.
  constexpr std::int64_t kScattered = 64;
  constexpr double kTinyFlops = 8e5;     // up to here the library is quicker
  constexpr double kFewRowsFlops = 2e6;  // where less than kFewRows
  constexpr std::int64_t kFewRows = 8;
  constexpr std::int64_t kSmall = 512;  // up to here the library's threads take longer to meet
  constexpr std::int64_t kTall = 3;     // what B takes to be packed is next to nothing
  const GemmKernelSet& kernels = gemm_kernels();
  if (kernels.instruction_set == "generic") return false;
  const double flops = flops_of(double(m), double(k), double(n));
  // A library brings B together in panels, which one tile doesn't repay.
  if (m < kFewRows) {
    const GemmKernels<float>& tiles = kernels.float32;
    return m <= tiles.rows.back() && n >= tiles.lanes && flops >= kFewRowsFlops;
  }
  if (kernels.float32.streams() && flops >= kTinyFlops) return true;
  const std::int64_t rows = (std::max(k, n) <= kSmall ? 1 : kTall) * std::max(k, n);
  if (kernels.float32.walk.packs_rows && m >= rows) return true;
  if (transpose_a && std::min(k, n) > kScattered) return false;
  return std::min(k, n) * kSkinny <= std::max({m, k, n});
}

}  // namespace

bool tiles_suit(Dtype dtype, std::int64_t m, std::int64_t k, std::int64_t n, bool transpose_a) {
  if (dtype == Dtype::Float64) return float64_tiles_suit(m, k, n);
  return dtype == Dtype::Float32 && float32_tiles_suit(m, k, n, transpose_a);
}

template <class T>
void multiply(const KernelCall& k, const GemmProduct<T>& p) {
  if (p.m == 0 || p.n == 0) return;
  if (suits_dots(p)) return share_dots(k, p);
  const Multiplier<T> multiplier = multiplier_of(k, p);
  if (const std::int64_t parts = parts_of(multiplier); parts > 1) return share_terms(k, p, parts);
  share_grid(k, grid_of(multiplier, k.threads));
}

template <class T>
void multiply_batch(const KernelCall& k, const GemmProduct<T>& first, std::int64_t batch) {
  if (first.m == 0 || first.n == 0) return;
  const auto at = [&first](std::int64_t i) {
    GemmProduct<T> p = first;
    p.a += i * first.m * first.k;
    p.b += i * first.k * first.n;
    p.c += i * first.m * first.n;
    return p;
  };
  if (!takes_whole_products(first, batch, k.threads)) {
    for (std::int64_t i = 0; i < batch; ++i) {
      if (i > 0 && k.poll) k.poll();
      multiply(k, at(i));
    }
    return;
  }
  const Poll no_poll;
  const KernelCall alone{k.call, k.inputs, k.outputs, 1, no_poll};
  run_by_flops(k, batch, flops_of(double(paced_rows(first.m)), double(first.k), double(first.n)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   multiply_alone(alone, at(i), i + 1 < end ? at(i + 1).b : nullptr);
                 }
                 gemm_kernels().fence();
               });
}

template <class T>
ScratchBytes panels_bytes(const GemmProduct<T>& p, std::int64_t batch, int threads) {
  if (p.m == 0 || p.n == 0 || suits_dots(p)) return {};
  const Multiplier<T> multiplier{p, false};
  const auto bytes = [](std::int64_t numbers) { return numbers * std::int64_t(sizeof(T)); };
  const bool whole = takes_whole_products(p, batch, threads);
  if (const std::int64_t parts = parts_of(multiplier); parts > 1) {
    const std::int64_t room = bytes(part_room(p, parts));
    const std::int64_t sums = bytes(parts * p.m * p.n);
    return {sums + room, whole ? sums + room : room};
  }
  if (whole) {
    const std::int64_t each = bytes(multiplier.room());
    return {each, each};
  }
  const GemmGrid<T> grid = grid_of(multiplier, threads);
  return shared_bytes(bytes(grid.longest_strip().room()), grid.cells(), threads);
}

template ScratchBytes panels_bytes(const GemmProduct<float>&, std::int64_t, int);
template ScratchBytes panels_bytes(const GemmProduct<double>&, std::int64_t, int);
template void multiply(const KernelCall&, const GemmProduct<float>&);
template void multiply(const KernelCall&, const GemmProduct<double>&);
template void multiply_batch(const KernelCall&, const GemmProduct<float>&, std::int64_t);
template void multiply_batch(const KernelCall&, const GemmProduct<double>&, std::int64_t);

}  // namespace siliconprof::cpu
