#include "siliconprof/kernels/cpu/rearrangement.h"

#include <algorithm>
#include <span>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/run_writer.h"

namespace siliconprof::cpu {
namespace {

/// A part of every row of the output; row r takes it from `from + r * stride`, zeros where that is
/// null.
struct Part {
  const char* from;
  std::int64_t stride;
  std::int64_t bytes;
};

/// A piece is a range of bytes, so that few long rows are shared as well as many short ones.
void write_rows(const KernelCall& k, std::span<const Part> parts) {
  const bool stream = copy_exceeds_cache(k.outputs[0].bytes());
  std::int64_t row_bytes = 0;
  for (const Part& part : parts) row_bytes += part.bytes;
  run_in_pieces(k, k.outputs[0].bytes(), 1, [&](std::int64_t begin, std::int64_t end) {
    RunWriter writer(k.outputs[0].as<char>() + begin, stream);
    std::int64_t skip = begin % row_bytes;
    std::int64_t left = end - begin;
    // NOLINTNEXTLINE(bugprone-infinite-loop): the loop inside takes from `left`.
    for (std::int64_t row = begin / row_bytes; left > 0; ++row) {
      for (const Part& part : parts) {
        const std::int64_t skipped = std::min(skip, part.bytes);
        const std::int64_t bytes = std::min(left, part.bytes - skipped);
        skip -= skipped;
        if (bytes == 0) continue;
        const char* from = part.from;
        writer.add(from == nullptr ? nullptr : from + row * part.stride + skipped, bytes);
        left -= bytes;
      }
    }
  });
}

const char* input(const KernelCall& k, std::size_t i) { return k.inputs[i].as<const char>(); }

/// Bytes of rows, parts and what comes before and after them.
struct SliceBytes {
  std::int64_t row;
  std::int64_t before;
  std::int64_t part;

  explicit SliceBytes(const OpCall& call) {
    const std::int64_t bytes = call.dims[3] * size_bytes(call.dtype);
    row = call.dims[1] * bytes;
    before = std::int64_t(call.attributes[0]) * bytes;
    part = call.dims[2] * bytes;
  }
};

/// Rows of the output one after the other, each made of runs of the input.
void transpose_runs(const KernelCall& k, std::int64_t run_bytes) {
  const bool stream = exceeds_cache(k);
  const std::int64_t outer = k.call.dims[0];
  const std::int64_t m = k.call.dims[1];
  const std::int64_t n = k.call.dims[2];
  const std::int64_t runs = outer * m * n;
  run_in_pieces(k, runs, run_bytes, [&](std::int64_t begin, std::int64_t end) {
    RunWriter writer(k.outputs[0].as<char>() + begin * run_bytes, stream);
    while (begin < end) {
      const std::int64_t i = begin % m;
      const std::int64_t j = begin / m % n;
      const std::int64_t o = begin / m / n;
      const std::int64_t count = std::min(m - i, end - begin);
      const char* from = input(k, 0) + ((o * m + i) * n + j) * run_bytes;
      for (std::int64_t q = 0; q < count; ++q) writer.add(from + q * n * run_bytes, run_bytes);
      begin += count;
    }
  });
}

/// Elements that fit in registers: tiles of whole lines.
void transpose_elements(const KernelCall& k, std::int64_t bytes,
                        MovementKernels::Transpose transpose) {
  constexpr std::int64_t kColumns = 64;  // of the input; a multiple of what the loops take at once
  constexpr std::int64_t kRows = 512;
  const bool stream = exceeds_cache(k);
  const std::int64_t outer = k.call.dims[0];
  const std::int64_t m = k.call.dims[1];
  const std::int64_t n = k.call.dims[2];
  const std::int64_t strips = divided_up(n, kColumns);
  const std::int64_t parts = divided_up(m, kRows);
  const std::int64_t tile_bytes = std::min(kColumns, n) * std::min(kRows, m) * bytes;
  run_in_pieces(k, outer * strips * parts, tile_bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t i = task % parts * kRows;
      const std::int64_t j = task / parts % strips * kColumns;
      const std::int64_t o = task / parts / strips;
      transpose(input(k, 0) + ((o * m + i) * n + j) * bytes, n,
                k.outputs[0].as<char>() + ((o * n + j) * m + i) * bytes, m, std::min(kRows, m - i),
                std::min(kColumns, n - j), stream);
    }
    if (stream) movement_kernels().fence();
  });
}

}  // namespace

void run_concat(const KernelCall& k) {
  const std::int64_t bytes = k.call.dims[3] * size_bytes(k.call.dtype);
  const std::int64_t first = k.call.dims[1] * bytes;
  const std::int64_t second = k.call.dims[2] * bytes;
  write_rows(k, std::array<Part, 2>{{{input(k, 0), first, first}, {input(k, 1), second, second}}});
}

void run_slice(const KernelCall& k) {
  const SliceBytes b(k.call);
  write_rows(k, std::array<Part, 1>{{{input(k, 0) + b.before, b.row, b.part}}});
}

void run_slice_backward(const KernelCall& k) {
  const SliceBytes b(k.call);
  write_rows(k, std::array<Part, 3>{{{nullptr, 0, b.before},
                                     {input(k, 0), b.part, b.part},
                                     {nullptr, 0, b.row - b.before - b.part}}});
}

void run_transpose(const KernelCall& k) {
  const std::int64_t m = k.call.dims[1];
  const std::int64_t n = k.call.dims[2];
  const std::int64_t inner = k.call.dims[3];
  const std::int64_t bytes = inner * size_bytes(k.call.dtype);
  if (k.outputs[0].elements() == 0) return;
  const std::int64_t all = k.outputs[0].bytes();
  if (m == 1 || n == 1) return write_rows(k, std::array<Part, 1>{{{input(k, 0), all, all}}});
  const MovementKernels& kernels = movement_kernels();
  if (bytes == 2) return transpose_elements(k, bytes, kernels.transpose2);
  if (bytes == 4) return transpose_elements(k, bytes, kernels.transpose4);
  if (bytes == 8) return transpose_elements(k, bytes, kernels.transpose8);
  if (bytes == 16) return transpose_elements(k, bytes, kernels.transpose16);
  transpose_runs(k, bytes);
}

}  // namespace siliconprof::cpu
