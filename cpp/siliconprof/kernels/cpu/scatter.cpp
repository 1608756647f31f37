#include "siliconprof/kernels/cpu/scatter.h"

#include <algorithm>
#include <vector>

#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/run_writer.h"
#include "siliconprof/kernels/cpu/scratch.h"

namespace siliconprof::cpu {
namespace {

/// What the ops share: sizes in bytes, and places of rows.
struct Sizes {
  std::int64_t rows;
  std::int64_t count;
  std::int64_t columns;
  std::int64_t row_bytes;

  explicit Sizes(const OpCall& call)
      : rows(call.dims[0]),
        count(call.dims[1]),
        columns(call.dims[2]),
        row_bytes(columns * size_bytes(call.dtype)) {}
};

/// For each row its last update, -1 where there is none. From the end: all rows are soon found
/// where updates are many.
const std::int64_t* last_updates(const Sizes& s, const std::int32_t* index, const Poll& poll) {
  auto* last = reinterpret_cast<std::int64_t*>(kernel_scratch().floats(2 * s.rows));
  in_steps(s.rows, poll, [&](std::int64_t begin, std::int64_t end) {
    std::fill(last + begin, last + end, std::int64_t{-1});
  });
  std::int64_t left = s.rows;
  in_steps(s.count, poll, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = s.count - 1 - begin; i >= s.count - end && left > 0; --i) {
      if (last[index[i]] >= 0) continue;
      last[index[i]] = i;
      --left;
    }
  });
  return last;
}

/// Of rows [begin, end): stretch(r, stop) for rows without an update that follow each other, one(r)
/// for one with.
template <class Stretch, class One>
void for_stretches(const std::int64_t* last, std::int64_t begin, std::int64_t end,
                   const Stretch& stretch, const One& one) {
  for (std::int64_t r = begin; r < end; ++r) {
    const std::int64_t first = r;
    while (r < end && last[r] < 0) ++r;
    if (r > first) stretch(first, r);
    if (r < end) one(r);
  }
}

}  // namespace

void run_scatter(const KernelCall& k) {
  check_indices(k);
  const Sizes s(k.call);
  if (s.row_bytes == 0 || s.rows == 0) return;
  const std::int64_t* last = last_updates(s, k.inputs[1].as<const std::int32_t>(), k.poll);
  const char* x = k.inputs[0].as<const char>();
  const char* updates = k.inputs[2].as<const char>();
  char* y = k.outputs[0].as<char>();
  const bool stream = copy_exceeds_cache(s.rows * s.row_bytes);
  const bool in_place = x == y;
  const auto write_rows = [&](std::int64_t begin, std::int64_t end) {
    const auto update = [&](std::int64_t r) { return updates + last[r] * s.row_bytes; };
    if (in_place) {
      for (std::int64_t r = begin; r < end; ++r) {
        if (last[r] >= 0) std::copy_n(update(r), s.row_bytes, y + r * s.row_bytes);
      }
      return;
    }
    RunWriter writer(y + begin * s.row_bytes, stream);
    const auto keep = [&](std::int64_t r, std::int64_t stop) {
      writer.add(x + r * s.row_bytes, (stop - r) * s.row_bytes);
    };
    for_stretches(last, begin, end, keep,
                  [&](std::int64_t r) { writer.add(update(r), s.row_bytes); });
  };
  run_over_rows(k, s.rows, s.row_bytes, far_bytes(s.row_bytes), write_rows, kMoveGrainBytes);
  kernel_scratch().trim();
}

void run_scatter_backward(const KernelCall& k) {
  check_indices(k);
  const Sizes s(k.call);
  if (s.row_bytes == 0 || s.rows == 0) return;
  const bool stream = exceeds_cache(k);
  const auto* index = k.inputs[0].as<const std::int32_t>();
  const std::int64_t* last = last_updates(s, index, k.poll);
  const char* dy = k.inputs[1].as<const char>();
  const auto write_rows = [&](std::int64_t begin, std::int64_t end) {
    RunWriter writer(k.outputs[0].as<char>() + begin * s.row_bytes, stream);
    const auto keep = [&](std::int64_t r, std::int64_t stop) {
      writer.add(dy + r * s.row_bytes, (stop - r) * s.row_bytes);
    };
    for_stretches(last, begin, end, keep, [&](std::int64_t) { writer.add(nullptr, s.row_bytes); });
  };
  run_over_rows(k, s.rows, s.row_bytes, far_bytes(s.row_bytes), write_rows);
  const auto write_updates = [&](std::int64_t begin, std::int64_t end) {
    RunWriter writer(k.outputs[1].as<char>() + begin * s.row_bytes, stream);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = index[i];
      writer.add(last[row] == i ? dy + row * s.row_bytes : nullptr, s.row_bytes);
    }
  };
  run_over_rows(k, s.count, s.row_bytes, far_bytes(s.row_bytes), write_updates);
  kernel_scratch().trim();
}

// A thread takes the updates of its share of the rows, in order: the first of each column finds the
// slope, and leaves 0 to those that follow.
void run_scatter_max_backward(const KernelCall& k) {
  check_indices(k);
  const Sizes s(k.call);
  if (s.row_bytes == 0 || s.count == 0) return;
  const std::size_t format = format_index(k.call.dtype);
  const std::size_t wide = k.call.dtype == Dtype::Float64 ? 0 : 1;
  const std::int64_t slope_bytes = s.columns * (wide == 0 ? 8 : 4);
  static thread_local Scratch scratch;
  auto* slopes = reinterpret_cast<char*>(scratch.floats(s.rows * slope_bytes / 4));
  const MovementKernels& kernels = movement_kernels();
  const char* dy = k.inputs[3].as<const char>();
  const std::int64_t element_bytes = size_bytes(k.call.dtype);
  in_steps(s.rows * s.columns, k.poll, [&](std::int64_t begin, std::int64_t end) {
    kernels.cast[format][wide](dy + begin * element_bytes, slopes + begin * (wide == 0 ? 8 : 4),
                               end - begin, false);
  });
  const char* updates = k.inputs[0].as<const char>();
  const auto* index = k.inputs[1].as<const std::int32_t>();
  const char* y = k.inputs[2].as<const char>();
  const std::int64_t piece = std::max<std::int64_t>(1, kBytesBetweenPolls / far_bytes(s.row_bytes));
  for (std::int64_t start = 0; start < s.count; start += piece) {
    if (start > 0 && k.poll) k.poll();
    const std::int64_t stop = std::min(s.count, start + piece);
    parallel_shares(k.threads, s.rows, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = start; i < stop; ++i) {
        const std::int64_t row = index[i];
        if (row < begin || row >= end) continue;
        kernels.scatter[format].take_slope(updates + i * s.row_bytes, y + row * s.row_bytes,
                                           slopes + row * slope_bytes,
                                           k.outputs[0].as<char>() + i * s.row_bytes, s.columns);
      }
    });
  }
  scratch.trim();
}

}  // namespace siliconprof::cpu
