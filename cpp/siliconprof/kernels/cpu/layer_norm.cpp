#include "siliconprof/kernels/cpu/layer_norm.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/norm_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

/// Where things lie: row i of group g is row i·groups + g of the whole.
struct Layout {
  const KernelCall& k;
  NormShape shape;
  std::int64_t element_bytes;
  std::int64_t kept_bytes;
  std::int64_t group_rows;

  Layout(const KernelCall& call, const NormShape& s)
      : k(call),
        shape(s),
        element_bytes(size_bytes(call.call.dtype)),
        kept_bytes(size_bytes(statistics_dtype(call.call.dtype))),
        group_rows(s.groups > 0 ? s.rows / s.groups : 0) {}

  const char* in(std::size_t i, std::int64_t at, std::int64_t bytes) const {
    return k.inputs[i].as<const char>() + at * bytes;
  }
  char* out(std::size_t i, std::int64_t at, std::int64_t bytes) const {
    return k.outputs[i].as<char>() + at * bytes;
  }
};

void run_rows(const KernelCall& k, const NormShape& shape, bool centred) {
  const Layout at(k, shape);
  const NormLoops& loops = norm_loops(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const std::int64_t row_bytes = 2 * shape.n * at.element_bytes;
  // Rows of a group lie `groups` apart, so that a call takes one group's rows within a piece.
  run_in_pieces(k, at.group_rows, std::max<std::int64_t>(1, shape.groups * row_bytes),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t g = 0; g < shape.groups; ++g) {
                    const std::int64_t row = begin * shape.groups + g;
                    NormRows rows{.x = at.in(0, row * shape.n, at.element_bytes),
                                  .weight = at.in(1, g * shape.n, at.element_bytes),
                                  .bias = nullptr,
                                  .y = at.out(0, row * shape.n, at.element_bytes),
                                  .mean = nullptr,
                                  .rstd = at.out(1, row, at.kept_bytes),
                                  .rows = end - begin,
                                  .n = shape.n,
                                  .stride = shape.groups * shape.n,
                                  .kept_stride = shape.groups,
                                  .epsilon = k.call.attributes[0],
                                  .stream = stream};
                    if (!centred) {
                      loops.rms_rows(rows);
                      continue;
                    }
                    rows.bias = at.in(2, g * shape.n, at.element_bytes);
                    rows.mean = rows.rstd;
                    rows.rstd = at.out(2, row, at.kept_bytes);
                    loops.layer_rows(rows);
                  }
                });
}

/// out[j] = Σ over parts of partial[part, j]; a row of partial sums is `stride` long.
void add_parts(const KernelCall& k, const void* partial, std::int64_t parts, std::int64_t stride,
               std::int64_t n, const TensorView& out) {
  const Dtype kept = statistics_dtype(k.call.dtype);
  const ElementKernels& loops = vector_kernels().elements(kept);
  const auto* sums = static_cast<const char*>(partial);
  const std::int64_t group_bytes =
      kColumnGroup * std::max<std::int64_t>(1, parts) * size_bytes(kept);
  run_in_pieces(k, divided_up(n, kColumnGroup), group_bytes,
                [&](std::int64_t first, std::int64_t last) {
                  std::array<double, kColumnsAtOnce> totals;
                  const std::int64_t end = std::min(n, last * kColumnGroup);
                  for (std::int64_t j = first * kColumnGroup; j < end; j += kColumnsAtOnce) {
                    const std::int64_t count = std::min<std::int64_t>(kColumnsAtOnce, end - j);
                    loops.column_sums(sums + j * size_bytes(kept), stride, parts, count, false,
                                      totals.data());
                    with_element_type(out.dtype, [&]<class T>() {
                      for (std::int64_t i = 0; i < count; ++i) {
                        out.as<T>()[j + i] =
                            static_cast<T>(static_cast<Accumulator<T>>(totals[std::size_t(i)]));
                      }
                    });
                  }
                });
}

// Rows whose contributions to the weights' gradients are summed at once: the same for any thread
// count, a multiple of the four that the loops take together, enough parts for many threads.
std::int64_t rows_of_part(std::int64_t rows) {
  return std::clamp<std::int64_t>(rows / 16 / 4 * 4, 4, 64);
}

// A core's own cache, of which four rows of x, dy and dx and the next four take a part.
constexpr std::int64_t kOwnCacheBytes = std::int64_t{2} << 20;

/// True where rows come from past the cores' own caches and fit there: each row is read twice, and
/// what is read once more meanwhile is not asked for by the CPU itself.
bool fetches_next(const KernelCall& k, std::int64_t rows, std::int64_t row_bytes) {
  return rows * 3 * row_bytes > k.threads * kOwnCacheBytes && 24 * row_bytes < kOwnCacheBytes / 2;
}

void run_slopes(const KernelCall& k, const NormShape& shape, bool centred) {
  const Layout at(k, shape);
  const NormLoops& loops = norm_loops(k.call.dtype);
  const bool stream = exceeds_cache(k);
  const std::int64_t part_rows = rows_of_part(at.group_rows);
  const std::int64_t parts = divided_up(at.group_rows, part_rows);
  const std::int64_t sums = centred ? 2 : 1;
  const std::int64_t width = sums * shape.groups * shape.n;  // dweight, then dbias
  auto* partial =
      reinterpret_cast<char*>(kernel_scratch().floats(parts * width * at.kept_bytes / 4));
  const std::size_t cotangent = centred ? 4 : 3;
  const bool fetch_next = fetches_next(k, shape.rows, shape.n * at.element_bytes);
  const std::int64_t bytes = 3 * part_rows * shape.n * at.element_bytes;
  run_in_pieces(k, parts * shape.groups, bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t part = task / shape.groups;
      const std::int64_t g = task % shape.groups;
      const std::int64_t row = part * part_rows * shape.groups + g;
      char* dweight = partial + (part * width + g * shape.n) * at.kept_bytes;
      char* dbias = centred ? dweight + shape.groups * shape.n * at.kept_bytes : nullptr;
      std::fill_n(dweight, shape.n * at.kept_bytes, char{0});
      if (centred) std::fill_n(dbias, shape.n * at.kept_bytes, char{0});
      const NormSlopes slopes{.x = at.in(0, row * shape.n, at.element_bytes),
                              .weight = at.in(1, g * shape.n, at.element_bytes),
                              .mean = at.in(2, row, at.kept_bytes),
                              .rstd = at.in(centred ? 3 : 2, row, at.kept_bytes),
                              .dy = at.in(cotangent, row * shape.n, at.element_bytes),
                              .dx = at.out(0, row * shape.n, at.element_bytes),
                              .dweight = dweight,
                              .dbias = dbias,
                              .rows = std::min(part_rows, at.group_rows - part * part_rows),
                              .n = shape.n,
                              .stride = shape.groups * shape.n,
                              .kept_stride = shape.groups,
                              .stream = stream,
                              .fetch_next = fetch_next};
      centred ? loops.layer_slopes(slopes) : loops.rms_slopes(slopes);
    }
  });
  const std::int64_t n = shape.groups * shape.n;
  add_parts(k, partial, parts, width, n, k.outputs[1]);
  if (centred) add_parts(k, partial + n * at.kept_bytes, parts, width, n, k.outputs[2]);
  kernel_scratch().trim();
}

}  // namespace

void run_layer_norm(const KernelCall& k, const NormShape& shape) { run_rows(k, shape, true); }
void run_layer_norm_backward(const KernelCall& k, const NormShape& shape) {
  run_slopes(k, shape, true);
}
void run_rms_norm(const KernelCall& k) { run_rows(k, rows_of_norm(k), false); }
void run_rms_norm_backward(const KernelCall& k) { run_slopes(k, rows_of_norm(k), false); }

}  // namespace siliconprof::cpu
