#include "siliconprof/kernels/cpu/argmax.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/movement_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

// Elements of a part of the axis, where there are too few rows and strips to share.
constexpr std::int64_t kPartElements = 65536;
constexpr std::int64_t kFewTasks = 16;

/// How the work is cut: the axis in parts, the columns in strips.
struct Cut {
  std::int64_t outer;
  std::int64_t size;
  std::int64_t inner;
  std::int64_t strips;
  std::int64_t part_rows;
  std::int64_t parts;

  explicit Cut(const OpCall& call) : outer(call.dims[0]), size(call.dims[1]), inner(call.dims[2]) {
    strips = divided_up(inner, kArgmaxColumns);
    part_rows = inner > 1 ? std::min(size, kArgmaxRows) : size;
    if (outer * strips < kFewTasks) {
      const std::int64_t columns = std::clamp<std::int64_t>(inner, 1, kArgmaxColumns);
      part_rows = std::min(size, kPartElements / columns);
    }
    parts = divided_up(size, part_rows);
  }
  std::int64_t tasks() const { return outer * parts * strips; }
};

struct Found {
  double largest;
  std::int32_t where;
};

/// Of columns from the o-th's `column` on, in one part: largest and where in the part.
void search(const KernelCall& k, const Cut& cut, std::int64_t o, std::int64_t part,
            std::int64_t column, std::int64_t columns, double* largest, std::int32_t* where) {
  const ArgmaxKernels& kernels = movement_kernels().argmax[format_index(k.call.dtype)];
  const std::int64_t row = part * cut.part_rows;
  const std::int64_t rows = std::min(cut.part_rows, cut.size - row);
  const char* x = k.inputs[0].as<const char>() +
                  ((o * cut.size + row) * cut.inner + column) * size_bytes(k.call.dtype);
  if (cut.inner > 1) return kernels.columns(x, cut.inner, rows, columns, largest, where);
  std::int64_t place = 0;
  kernels.row(x, rows, largest, &place);
  *where = std::int32_t(place);
}

void combine(const Cut& cut, const std::vector<Found>& found, std::int32_t* y) {
  for (std::int64_t i = 0; i < cut.outer * cut.inner; ++i) {
    const Found* first = found.data() + i / cut.inner * cut.parts * cut.inner + i % cut.inner;
    Found best = *first;
    for (std::int64_t part = 1; part < cut.parts; ++part) {
      const Found& next = first[part * cut.inner];
      if (std::isnan(best.largest)) break;
      if (next.largest <= best.largest) continue;
      best = {next.largest, std::int32_t(part * cut.part_rows) + next.where};
    }
    y[i] = best.where;
  }
}

void find_in_rows(const KernelCall& k, const Cut& cut, std::int32_t* y) {
  const ArgmaxKernels& kernels = movement_kernels().argmax[format_index(k.call.dtype)];
  const std::int64_t row_bytes = cut.size * size_bytes(k.call.dtype);
  const char* x = k.inputs[0].as<const char>();
  run_in_pieces(k, cut.outer, row_bytes, [&](std::int64_t begin, std::int64_t end) {
    kernels.rows(x + begin * row_bytes, cut.size, end - begin, y + begin);
  });
}

}  // namespace

void run_argmax(const KernelCall& k) {
  const Cut cut(k.call);
  auto* y = k.outputs[0].as<std::int32_t>();
  if (k.outputs[0].elements() == 0) return;
  if (cut.inner == 1 && cut.parts == 1) return find_in_rows(k, cut, y);
  std::vector<Found> found(std::size_t(cut.parts > 1 ? cut.outer * cut.parts * cut.inner : 0));
  const std::int64_t task_bytes =
      cut.part_rows * std::min(cut.inner, kArgmaxColumns) * size_bytes(k.call.dtype);
  run_in_pieces(k, cut.tasks(), task_bytes, [&](std::int64_t begin, std::int64_t end) {
    std::array<double, kArgmaxColumns> largest;
    std::array<std::int32_t, kArgmaxColumns> where;
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t column = task % cut.strips * kArgmaxColumns;
      const std::int64_t part = task / cut.strips % cut.parts;
      const std::int64_t o = task / cut.strips / cut.parts;
      const std::int64_t columns = std::min(kArgmaxColumns, cut.inner - column);
      search(k, cut, o, part, column, columns, largest.data(), where.data());
      if (cut.parts == 1) {
        std::copy_n(where.data(), columns, y + o * cut.inner + column);
        continue;
      }
      Found* to = found.data() + (o * cut.parts + part) * cut.inner + column;
      for (std::int64_t j = 0; j < columns; ++j) {
        to[j] = {largest[std::size_t(j)], where[std::size_t(j)]};
      }
    }
  });
  if (cut.parts > 1) combine(cut, found, y);
}

}  // namespace siliconprof::cpu
