#include "siliconprof/kernels/cpu/convolution_weights.h"

#include <algorithm>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/gemm_panels.h"
#include "siliconprof/kernels/cpu/gemm_pieces.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

// A task's part of the gradient: rows × taps × columns stay in the second cache beside the data.
constexpr std::int64_t kTaskRows = 64;
constexpr std::int64_t kTaskColumns = 128;
// Rows up to which those of several taps are one product's.
constexpr std::int64_t kJoinedRows = 16;
// Elements of data and results that a task works on at a time, and windows of which a panel of
// columns stays in the first cache.
constexpr std::int64_t kGroupElements = std::int64_t{96} << 10;
constexpr std::int64_t kGroupWindows = 256;
// Tiles of rows from which on it pays to copy the columns that they share.
constexpr std::int64_t kPackingTiles = 3;
// Enough tasks to share, as long as partial sums stay small.
constexpr std::int64_t kTasks = 16;
constexpr std::int64_t kPartialElements = std::int64_t{4} << 20;

/// One operand of the products: elements of channel j of pixel (b, i, j) follow each other.
template <class T>
struct Pixels {
  const T* data;
  std::int64_t channels;
  std::int64_t step;  // elements between pixels: channels, or more where copied

  std::int64_t row(std::int64_t length) const { return length * step; }
};

/// The sum over windows of a·b for each tap: gradient (tap, row, column). Rows are channels of the
/// operand that is broadcast, columns of the one that fills vectors.
template <class T>
struct Problem {
  const KernelCall& k;
  const Convolution& c;
  bool swapped;  // rows are channels of x, columns those of dy
  Pixels<T> x;
  Pixels<T> dy;

  const Pixels<T>& a() const { return swapped ? x : dy; }
  const Pixels<T>& b() const { return swapped ? dy : x; }
  std::int64_t taps() const { return c.rows.kernel * c.columns.kernel; }

  /// True where few channels would leave registers without work: the taps of a row, whose data
  /// follow each other in memory, are then rows of one product.
  bool joins_taps() const {
    return swapped && c.columns.kernel > 1 && c.columns.kernel * c.channels <= kJoinedRows;
  }
};

/// True where vectors are so narrow that a panel of columns is to stay in the first cache, while it
/// meets several tiles of rows. Others wait less for the second one than copying takes.
template <class T>
bool shares_panels() {
  return gemm_kernels().of<T>().walk.tiles_in_turn > 1;
}

/// Windows of a row that are worked on together, and how all of them are cut: in strips of a row,
/// groups of strips, and chunks of groups with a partial sum for each. From sizes alone.
struct Cut {
  std::int64_t strip;
  std::int64_t strips_of_row;
  std::int64_t strips;
  std::int64_t group;  // strips
  std::int64_t row_tasks;
  std::int64_t column_tasks;
  std::int64_t chunks;
  std::int64_t chunk;  // strips

  template <class T>
  explicit Cut(const Problem<T>& p) {
    const Convolution& c = p.c;
    const std::int64_t each = std::min(kTaskRows, p.a().channels) * 2 +
                              std::min(kTaskColumns, p.b().channels) * c.columns.stride * 2;
    const std::int64_t most = shares_panels<T>() ? kGroupWindows : kGroupElements;
    const std::int64_t pixels = std::clamp<std::int64_t>(kGroupElements * 2 / each, 16, most);
    strip = even_part(c.columns.windows(), pixels);
    strips_of_row = divided_up(c.columns.windows(), strip);
    strips = c.batch * c.rows.windows() * strips_of_row;
    group = std::max<std::int64_t>(1, pixels / strip);
    row_tasks = panel_count(p.a().channels, kTaskRows);
    column_tasks = panel_count(p.b().channels, kTaskColumns);
    const std::int64_t elements =
        std::max<std::int64_t>(1, p.taps() * p.a().channels * p.b().channels);
    const std::int64_t groups = std::max<std::int64_t>(1, divided_up(strips, group));
    const std::int64_t wanted = divided_up(kTasks, row_tasks * column_tasks);
    chunks = std::clamp<std::int64_t>(std::min(wanted, kPartialElements / elements), 1, groups);
    chunk = divided_up(groups, chunks) * group;
    chunks = std::max<std::int64_t>(1, divided_up(strips, chunk));
  }
};

/// A tap (s, t) and those of a row's windows that are summed under it.
struct TapWindows {
  std::int64_t s;
  std::int64_t t;
  std::int64_t first;
  std::int64_t last;
};

/// The runs of strips [begin, end) under a tap.
template <class T>
void make_runs(const Problem<T>& p, const Cut& cut, std::int64_t begin, std::int64_t end,
               const TapWindows& tap, std::vector<GemmRun>& runs) {
  const Convolution& c = p.c;
  runs.clear();
  for (std::int64_t index = begin; index < end; ++index) {
    const std::int64_t q = index % cut.strips_of_row * cut.strip;
    const std::int64_t row = index / cut.strips_of_row;  // of all images
    const std::int64_t image = row / c.rows.windows();
    const std::int64_t i = c.rows.position(row % c.rows.windows(), tap.s);
    const std::int64_t from = std::max(q, tap.first);
    const std::int64_t to = std::min(q + cut.strip, tap.last);
    if (!c.rows.has(i) || from >= to) continue;
    const std::int64_t in_y = (row * c.columns.windows() + from) * p.dy.step;
    const std::int64_t in_x =
        ((image * c.rows.length + i) * c.columns.length + c.columns.position(from, tap.t)) *
        p.x.step;
    runs.push_back({p.swapped ? in_x : in_y, p.swapped ? in_y : in_x, to - from});
  }
}

/// Rows and columns of the gradient; of joined taps the rows of one follow those of the other.
struct Part {
  std::int64_t row_begin;
  std::int64_t row_end;
  std::int64_t column_begin;
  std::int64_t column_end;
};

/// What a task multiplies at a time: its runs, and room for columns of B with one term right behind
/// the other. B's own terms lie whole pixels apart, where few of them stay in the first cache.
template <class T>
struct Terms {
  std::vector<GemmRun> runs;
  std::vector<T> packed;
  std::vector<GemmRun> packed_runs;

  void pack(const T* b, std::int64_t step, std::int64_t n, std::int64_t width) {
    const auto pack_terms = gemm_kernels().of<T>().pack;
    packed_runs.clear();
    std::int64_t terms = 0;
    for (const GemmRun& run : runs) terms += run.k;
    packed.resize(std::size_t(terms * width));
    terms = 0;
    for (const GemmRun& run : runs) {
      packed_runs.push_back({run.a_at, terms * width, run.k});
      pack_terms({b + run.b_at, step, 1, run.k, n, width, width, packed.data() + terms * width});
      terms += run.k;
    }
  }
};

/// Adds the products of all terms to the sums of a tap, which start at `to`, or begins these sums.
template <class T>
void add_product(const Problem<T>& p, const Part& part, Terms<T>& terms, bool accumulate, T* to) {
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  const std::int64_t columns = p.b().channels;
  const std::int64_t rows = part.row_end - part.row_begin;
  const std::int64_t tile_rows = even_part(rows, kernels.most_rows(columns));
  const std::int64_t a_step = p.a().step * (p.swapped ? p.c.columns.stride : 1);
  const std::int64_t b_step = p.b().step * (p.swapped ? 1 : p.c.columns.stride);
  const bool packs = shares_panels<T>() && rows > (kPackingTiles - 1) * tile_rows;
  for (std::int64_t column = part.column_begin; column < part.column_end;
       column += kernels.width()) {
    const std::int64_t n = std::min(kernels.width(), part.column_end - column);
    if (packs) terms.pack(p.b().data + column, b_step, n, kernels.width());
    const std::vector<GemmRun>& runs = packs ? terms.packed_runs : terms.runs;
    for (std::int64_t row = part.row_begin; row < part.row_end; row += tile_rows) {
      GemmTile<T> tile{p.a().data + row,
                       a_step,
                       packs ? terms.packed.data() : p.b().data + column,
                       packs ? kernels.width() : b_step,
                       runs.data(),
                       std::int64_t(runs.size()),
                       to + row * columns + column,
                       columns,
                       n};
      tile.accumulate = accumulate;
      const std::size_t vectors = n > kernels.lanes ? 2 : 1;
      const std::int64_t count = std::min(tile_rows, part.row_end - row);
      kernels.by_columns[vectors - 1][std::size_t(count - 1)](tile);
    }
  }
}

/// One task: rows and columns of the gradient, strips of one chunk; `to` is that chunk's sum.
template <class T>
void sum_task(const Problem<T>& p, const Cut& cut, std::int64_t chunk, std::int64_t row_task,
              std::int64_t column_task, T* to) {
  const std::int64_t rows = p.a().channels;
  const std::int64_t columns = p.b().channels;
  const WindowAxis& axis = p.c.columns;
  const Part part{row_task * kTaskRows, std::min(rows, (row_task + 1) * kTaskRows),
                  column_task * kTaskColumns, std::min(columns, (column_task + 1) * kTaskColumns)};
  const Part joined{0, axis.kernel * rows, part.column_begin, part.column_end};
  // Windows that have all of a row's taps.
  const std::int64_t whole_first = axis.first_window(0);
  const std::int64_t whole_last = std::max(whole_first, axis.last_window(axis.kernel - 1));
  const std::int64_t first = chunk * cut.chunk;
  const std::int64_t last = std::min(cut.strips, first + cut.chunk);
  Terms<T> terms;
  for (std::int64_t begin = first; begin < std::max(last, first + 1); begin += cut.group) {
    const std::int64_t end = std::min(last, begin + cut.group);
    const auto add = [&](const TapWindows& tap, const Part& which, bool accumulate) {
      make_runs(p, cut, begin, end, tap, terms.runs);
      if (accumulate && terms.runs.empty()) return;
      const std::int64_t number = tap.s * axis.kernel + tap.t;
      add_product(p, which, terms, accumulate, to + number * rows * columns);
    };
    for (std::int64_t s = 0; s < p.c.rows.kernel; ++s) {
      if (p.joins_taps()) add({s, 0, whole_first, whole_last}, joined, begin > first);
      for (std::int64_t t = 0; t < axis.kernel; ++t) {
        const TapWindows tap{s, t, axis.first_window(t), axis.last_window(t)};
        if (!p.joins_taps()) {
          add(tap, part, begin > first);
          continue;
        }
        add({s, t, tap.first, std::min(tap.last, whole_first)}, part, true);
        add({s, t, std::max(tap.first, whole_last), tap.last}, part, true);
      }
    }
  }
}

/// dweight (outputs, taps, channels) from the sums (chunks, taps, rows, columns).
template <class T>
void add_chunks(const Problem<T>& p, const Cut& cut, const T* sums, T* dweight) {
  const std::int64_t outputs = p.c.outputs;
  const std::int64_t channels = p.c.channels;
  const std::int64_t elements = p.taps() * outputs * channels;
  const std::int64_t output_step = p.swapped ? 1 : channels;
  const std::int64_t channel_step = p.swapped ? outputs : 1;
  const std::int64_t bytes = p.taps() * channels * std::int64_t(sizeof(T)) * (cut.chunks + 1);
  run_in_pieces(p.k, outputs, std::max<std::int64_t>(1, bytes),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t o = begin; o < end; ++o) {
                    for (std::int64_t tap = 0; tap < p.taps(); ++tap) {
                      T* to = dweight + (o * p.taps() + tap) * channels;
                      const T* from = sums + tap * outputs * channels + o * output_step;
                      for (std::int64_t j = 0; j < channels; ++j) to[j] = from[j * channel_step];
                      for (std::int64_t chunk = 1; chunk < cut.chunks; ++chunk) {
                        const T* part = from + chunk * elements;
                        for (std::int64_t j = 0; j < channels; ++j) to[j] += part[j * channel_step];
                      }
                    }
                  }
                });
}

/// For the operand that is copied, while kernel_scratch() holds the sums.
Scratch& copy_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

/// The operand with pixels whole vectors apart: tiles read B to the end of its vectors.
template <class T>
Pixels<T> whole_vectors(const KernelCall& k, const Pixels<T>& from, std::int64_t pixels,
                        std::int64_t lanes) {
  if (from.channels % lanes == 0) return from;
  const std::int64_t step = rounded_up(from.channels, lanes);
  T* to = copy_scratch().numbers<T>(pixels * step);
  run_in_pieces(k, pixels, step * std::int64_t(sizeof(T)),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    std::copy_n(from.data + i * from.step, from.channels, to + i * step);
                    std::fill(to + i * step + from.channels, to + (i + 1) * step, T(0));
                  }
                });
  return {to, from.channels, step};
}

template <class T>
Problem<T> problem_of(const KernelCall& k, const Convolution& c, const T* x, const T* dy) {
  const std::int64_t lanes = gemm_kernels().of<T>().lanes;
  // Vectors along the operand whose channels fill them best.
  const auto filled = [lanes](std::int64_t channels) {
    return double(channels) / double(panel_count(channels, lanes) * lanes);
  };
  return {k,
          c,
          filled(c.outputs) > filled(c.channels),
          {x, c.channels, c.channels},
          {dy, c.outputs, c.outputs}};
}

}  // namespace

template <class T>
std::int64_t weight_sums_bytes(const KernelCall& k, const Convolution& c) {
  const Problem<T> p = problem_of<T>(k, c, nullptr, nullptr);
  return Cut(p).chunks * p.taps() * c.outputs * c.channels * std::int64_t(sizeof(T));
}

template <class T>
void sum_weight_gradient(const KernelCall& k, const Convolution& c, const T* x, const T* dy,
                         T* dweight) {
  const std::int64_t lanes = gemm_kernels().of<T>().lanes;
  Problem<T> p = problem_of(k, c, x, dy);
  if (p.swapped) {
    p.dy = whole_vectors(k, p.dy, c.batch * c.rows.windows() * c.columns.windows(), lanes);
  } else {
    p.x = whole_vectors(k, p.x, c.batch * c.rows.length * c.columns.length, lanes);
  }
  const Cut cut(p);
  const std::int64_t elements = p.taps() * c.outputs * c.channels;
  T* sums = kernel_scratch().numbers<T>(cut.chunks * elements);
  const std::int64_t tasks = cut.chunks * cut.row_tasks * cut.column_tasks;
  const std::int64_t pairs = c.rows.pairs() * c.columns.pairs();
  const double flops = 2.0 * double(c.batch * c.outputs * c.channels) * double(pairs);
  run_by_flops(k, tasks, flops / double(tasks), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t column = task % cut.column_tasks;
      const std::int64_t row = task / cut.column_tasks % cut.row_tasks;
      const std::int64_t chunk = task / cut.column_tasks / cut.row_tasks;
      sum_task(p, cut, chunk, row, column, sums + chunk * elements);
    }
  });
  add_chunks(p, cut, sums, dweight);
  kernel_scratch().trim();
  copy_scratch().trim();
}

template std::int64_t weight_sums_bytes<float>(const KernelCall&, const Convolution&);
template std::int64_t weight_sums_bytes<double>(const KernelCall&, const Convolution&);
template void sum_weight_gradient(const KernelCall&, const Convolution&, const float*, const float*,
                                  float*);
template void sum_weight_gradient(const KernelCall&, const Convolution&, const double*,
                                  const double*, double*);

}  // namespace siliconprof::cpu
