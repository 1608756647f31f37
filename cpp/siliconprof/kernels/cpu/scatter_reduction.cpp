#include "siliconprof/kernels/cpu/scatter_reduction.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/run_writer.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kBlocks = 16;
// Updates of a row that are summed one after the other.
constexpr std::int64_t kRunUpdates = 4096;
// A table of sums that a core's own cache holds beside the updates that pass.
constexpr std::int64_t kTableBytes = std::int64_t{512} << 10;

enum class Reduction : std::uint8_t { Sum, Max };

/// Scalar: what is reduced in, float or double.
template <class Scalar, Reduction reduction>
struct Problem {
  const KernelCall& k;
  const char* updates;
  const std::int32_t* index;
  std::int64_t rows;
  std::int64_t count;
  std::int64_t columns;
  std::int64_t row_bytes;
  std::size_t format;

  Problem(const KernelCall& call, std::size_t updates_input, std::size_t index_input)
      : k(call),
        updates(call.inputs[updates_input].as<const char>()),
        index(call.inputs[index_input].as<const std::int32_t>()),
        rows(call.call.dims[0]),
        count(call.call.dims[1]),
        columns(call.call.dims[2]),
        row_bytes(columns * size_bytes(call.call.dtype)),
        format(format_index(call.call.dtype)) {}

  static constexpr Scalar kStart =
      reduction == Reduction::Sum ? Scalar(0) : -std::numeric_limits<Scalar>::infinity();
  static constexpr std::size_t kWideFormat = sizeof(Scalar) == 8 ? 0 : 1;

  const ScatterKernels& kernels() const { return movement_kernels().scatter[format]; }
  /// Reduces updates [begin, end) into their rows of a table.
  void into_table(std::int64_t begin, std::int64_t end, Scalar* table) const {
    const auto loop = reduction == Reduction::Sum ? kernels().add : kernels().largest;
    loop(updates + begin * row_bytes, index + begin, end - begin, columns, table);
  }
  /// Reduces n scalars into as many.
  void into_scalars(const Scalar* in, std::int64_t n, Scalar* so_far) const {
    const std::int32_t row = 0;
    const ScatterKernels& wide = movement_kernels().scatter[kWideFormat];
    const auto loop = reduction == Reduction::Sum ? wide.add : wide.largest;
    loop(in, &row, 1, n, so_far);
  }
  /// Reduces listed updates into a row; of many, runs of them into `spare` (a row) first, so that
  /// sums of a row that gets most of the updates, as a padding token's, are as exact as others'.
  void into_row(const std::int64_t* list, std::int64_t n, Scalar* row, Scalar* spare) const {
    const auto loop = reduction == Reduction::Sum ? kernels().add_listed : kernels().largest_listed;
    loop(updates, list, std::min(n, kRunUpdates), columns, row);
    for (std::int64_t at = kRunUpdates; at < n; at += kRunUpdates) {
      std::fill_n(spare, columns, kStart);
      loop(updates, list + at, std::min(n - at, kRunUpdates), columns, spare);
      into_scalars(spare, columns, row);
    }
  }
  /// What a row's updates move; each lies in a place of its own, and comes as lines.
  std::int64_t cost_bytes() const { return row_bytes + count / rows * far_bytes(row_bytes); }
  void widen(const void* in, Scalar* out, std::int64_t n) const {
    movement_kernels().cast[format][kWideFormat](in, out, n, false);
  }
  void narrow(const Scalar* in, void* out, std::int64_t n) const {
    movement_kernels().cast[kWideFormat][format](in, out, n, false);
  }
  /// 1 or less where blocks don't pay: their tables would take as long as the updates.
  std::int64_t blocks() const {
    if (rows * columns * std::int64_t(sizeof(Scalar)) > kTableBytes) return 0;
    return std::min(kBlocks, count / (8 * rows));
  }
};

/// -inf in a row without an update becomes 0; it stays where it is the largest update.
template <class P, class Scalar>
void clear_rows_without_update(const P& p, Scalar* table) {
  std::vector<bool> updated;
  for (std::int64_t r = 0; r < p.rows; ++r) {
    Scalar* row = table + r * p.columns;
    if (row[0] != P::kStart) continue;
    if (updated.empty()) {
      updated.resize(std::size_t(p.rows));
      in_steps(p.count, p.k.poll, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) updated[std::size_t(p.index[i])] = true;
      });
    }
    if (!updated[std::size_t(r)]) std::fill_n(row, p.columns, Scalar(0));
  }
}

template <class Scalar, Reduction reduction>
void reduce_in_blocks(const Problem<Scalar, reduction>& p) {
  static thread_local Scratch scratch;
  const std::int64_t blocks = p.blocks();
  const std::int64_t table = p.rows * p.columns;
  auto* tables =
      reinterpret_cast<Scalar*>(scratch.floats(blocks * table * std::int64_t(sizeof(Scalar)) / 4));
  const std::int64_t block_bytes = divided_up(p.count, blocks) * p.row_bytes;
  run_in_pieces(p.k, blocks, block_bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      std::fill_n(tables + b * table, table, p.kStart);
      p.into_table(p.count * b / blocks, p.count * (b + 1) / blocks, tables + b * table);
    }
  });
  constexpr std::int64_t kPart = 1024;
  const std::int64_t part_bytes = blocks * std::int64_t(sizeof(Scalar));
  run_in_pieces(p.k, table, part_bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += kPart) {
      const std::int64_t n = std::min(kPart, end - at);
      for (std::int64_t b = 1; b < blocks; ++b) {
        p.into_scalars(tables + b * table + at, n, tables + at);
      }
    }
  });
  if constexpr (reduction == Reduction::Max) clear_rows_without_update(p, tables);
  p.narrow(tables, p.k.outputs[0].data, table);
}

/// The updates of each row, in order: those of row r from starts[r] to starts[r + 1] of `list`.
/// They lie in kernel_scratch().
struct Lists {
  const std::int64_t* starts;
  const std::int64_t* list;

  template <class P>
  explicit Lists(const P& p) {
    auto* memory =
        reinterpret_cast<std::int64_t*>(kernel_scratch().floats(2 * (p.rows + 2 + p.count)));
    // One place further, so that counting up leaves each start where it belongs.
    std::int64_t* next = memory + 1;
    in_steps(p.rows + 2, p.k.poll, [&](std::int64_t begin, std::int64_t end) {
      std::fill(memory + begin, memory + end, std::int64_t{0});
    });
    in_steps(p.count, p.k.poll, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++next[p.index[i] + 1];
    });
    in_steps(p.rows, p.k.poll, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) next[r + 1] += next[r];
    });
    std::int64_t* updates = memory + p.rows + 2;
    in_steps(p.count, p.k.poll, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) updates[next[p.index[i]]++] = i;
    });
    starts = memory;
    list = updates;
  }

  /// The first row from r on that has an update, `rows` where there is none.
  std::int64_t next_updated(std::int64_t r, const std::int32_t* index, std::int64_t count,
                            std::int64_t rows) const {
    return starts[r] < count ? index[list[starts[r]]] : rows;
  }
};

template <class Scalar, Reduction reduction>
void reduce_row_by_row(const Problem<Scalar, reduction>& p) {
  const bool stream = exceeds_cache(p.k);
  const Lists lists(p);
  const auto write_rows = [&](std::int64_t begin, std::int64_t end) {
    static thread_local Scratch scratch;
    const std::int64_t wide = p.columns * std::int64_t(sizeof(Scalar)) / 4;
    auto* row = reinterpret_cast<Scalar*>(scratch.floats(3 * wide));
    Scalar* spare = row + p.columns;
    char* narrow = reinterpret_cast<char*>(spare + p.columns);
    RunWriter writer(p.k.outputs[0].template as<char>() + begin * p.row_bytes, stream);
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t updated = std::min(end, lists.next_updated(r, p.index, p.count, p.rows));
      if (updated > r) writer.add(nullptr, (updated - r) * p.row_bytes);
      if (updated == end) break;
      r = updated;
      const std::int64_t* first = lists.list + lists.starts[r];
      const std::int64_t n = lists.starts[r + 1] - lists.starts[r];
      if (n == 1) {
        writer.add(p.updates + *first * p.row_bytes, p.row_bytes);
        continue;
      }
      std::fill_n(row, p.columns, p.kStart);
      p.into_row(first, n, row, spare);
      p.narrow(row, narrow, p.columns);
      writer.add(narrow, p.row_bytes);
      writer.flush();
    }
  };
  // Where most rows get an update at most, they are only moved.
  const std::int64_t grain_bytes = p.count < p.rows ? kMoveGrainBytes : kGrainBytes;
  run_over_rows(p.k, p.rows, p.row_bytes, p.cost_bytes(), write_rows, grain_bytes);
  kernel_scratch().trim();
}

template <class Scalar, Reduction reduction>
void reduce(const KernelCall& k, std::size_t updates_input, std::size_t index_input) {
  const Problem<Scalar, reduction> p(k, updates_input, index_input);
  if (p.rows == 0 || p.columns == 0) return;
  if (p.blocks() > 1) return reduce_in_blocks(p);
  reduce_row_by_row(p);
}

/// What is listed for a row is added to it, where anything is.
template <class Scalar>
void add_to_rows(const Problem<Scalar, Reduction::Sum>& p, char* table) {
  const Lists lists(p);
  const auto add_rows = [&](std::int64_t begin, std::int64_t end) {
    static thread_local Scratch scratch;
    auto* wide =
        reinterpret_cast<Scalar*>(scratch.floats(2 * p.columns * std::int64_t(sizeof(Scalar)) / 4));
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t n = lists.starts[r + 1] - lists.starts[r];
      if (n == 0) continue;
      char* row = table + r * p.row_bytes;
      p.widen(row, wide, p.columns);
      p.into_row(lists.list + lists.starts[r], n, wide, wide + p.columns);
      p.narrow(wide, row, p.columns);
    }
  };
  run_over_rows(p.k, p.rows, p.row_bytes, p.cost_bytes(), add_rows);
  kernel_scratch().trim();
}

template <class Scalar>
void add_rows(const KernelCall& k) {
  const Problem<Scalar, Reduction::Sum> p(k, 2, 1);
  if (p.rows == 0 || p.columns == 0) return;
  char* table = k.outputs[0].as<char>();
  const char* from = k.inputs[0].as<const char>();
  if (table != from) {
    run_in_pieces(k, p.rows, p.row_bytes, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(table + begin * p.row_bytes, from + begin * p.row_bytes,
                  std::size_t((end - begin) * p.row_bytes));
    });
  }
  add_to_rows(p, table);
}

template <Reduction reduction>
void run(const KernelCall& k, std::size_t updates_input, std::size_t index_input) {
  check_indices(k);
  if (k.call.dtype == Dtype::Float64) {
    return reduce<double, reduction>(k, updates_input, index_input);
  }
  reduce<float, reduction>(k, updates_input, index_input);
}

}  // namespace

void run_scatter_sum(const KernelCall& k) { run<Reduction::Sum>(k, 0, 1); }
void run_scatter_max(const KernelCall& k) { run<Reduction::Max>(k, 0, 1); }
void run_embedding_backward(const KernelCall& k) { run<Reduction::Sum>(k, 1, 0); }
void run_embedding_backward_add(const KernelCall& k) {
  check_indices(k);
  if (k.call.dtype == Dtype::Float64) return add_rows<double>(k);
  add_rows<float>(k);
}

}  // namespace siliconprof::cpu
