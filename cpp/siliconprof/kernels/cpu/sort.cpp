#include "siliconprof/kernels/cpu/sort.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "siliconprof/core/rounding.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/indices.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/radix_sort.h"
#include "siliconprof/kernels/cpu/scratch.h"
#include "siliconprof/kernels/cpu/sort_kernels.h"

namespace siliconprof::cpu {
namespace {

// Keys of the columns that are sorted together stay in half of a core's own cache.
constexpr std::int64_t kKeyBytes = std::int64_t{256} << 10;

// Of operands: a column that takes some milliseconds.
constexpr std::int64_t kLongColumnBytes = std::int64_t{4} << 20;
// Of a row, or of the narrowest tile that gradients are put together in: longer ones gain nothing.
constexpr std::int64_t kMostTileBytes = std::int64_t{1} << 20;
constexpr std::int64_t kLeastColumns = 16;

struct Problem {
  const KernelCall& k;
  std::int64_t outer;
  std::int64_t size;
  std::int64_t inner;
  std::int64_t element_bytes;
  bool descending;
  bool stream;

  explicit Problem(const KernelCall& call)
      : k(call),
        outer(call.call.dims[0]),
        size(call.call.dims[1]),
        inner(call.call.dims[2]),
        element_bytes(size_bytes(call.call.dtype)),
        descending(is_set(call.call.attributes[0])),
        stream(exceeds_cache(call)) {}

  const char* x(std::int64_t at) const { return k.inputs[0].as<const char>() + at * element_bytes; }
  char* values(std::int64_t at) const { return k.outputs[0].as<char>() + at * element_bytes; }
  std::int64_t column_bytes() const { return size * (2 * element_bytes + 4); }
};

void* key_memory(std::int64_t rows, std::int64_t columns) {
  static thread_local Scratch scratch;
  return scratch.floats(key_bytes(rows, columns) / 4);
}

void sort_columns(const Problem& p) {
  const auto sort = sort_kernels().of(p.k.call.dtype).columns;
  const std::int64_t fit = kKeyBytes / (8 * network_size(p.size)) / 16 * 16;
  const std::int64_t width = std::clamp<std::int64_t>(fit, 16, kNetworkColumns);
  const std::int64_t strips = divided_up(p.inner, width);
  const std::int64_t bytes = p.column_bytes() * std::min(width, p.inner);
  run_in_pieces(p.k, p.outer * strips, bytes, [&](std::int64_t begin, std::int64_t end) {
    void* keys = key_memory(p.size, width);
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t column = task % strips * width;
      const std::int64_t columns = std::min(width, p.inner - column);
      const std::int64_t at = task / strips * p.size * p.inner + column;
      sort(p.x(at), p.inner, p.size, columns, p.descending, p.values(at),
           p.k.outputs[1].as<std::int32_t>() + at, keys,
           p.stream && columns * p.element_bytes >= 64);
    }
  });
}

void sort_rows(const Problem& p) {
  const SortKernelTable& table = sort_kernels();
  const auto sort = table.of(p.k.call.dtype).rows;
  const std::int64_t lanes = table.lanes;
  const std::int64_t groups = divided_up(p.outer, lanes);
  run_in_pieces(p.k, groups, p.column_bytes() * lanes, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * lanes * p.size;
    sort(p.x(at), std::min(p.outer, end * lanes) - begin * lanes, p.size, p.descending,
         p.values(at), p.k.outputs[1].as<std::int32_t>() + at, key_memory(p.size, lanes),
         p.stream && p.size * p.element_bytes >= 1024);
  });
}

/// Thrown by the poll of a thread that is to end: what ended it was kept before.
struct Stopped : std::exception {};

/// Calls share(begin, end, poll) on the threads' shares of [0, n), which may take long and poll:
/// the calling thread then polls for all of them, also while it waits for the others.
template <class Share>
void share_polled(const KernelCall& k, std::int64_t n, const Share& share) {
  SharedPoll shared(k.poll);
  std::atomic<std::int64_t> left{n};
  parallel_shares(k.threads, n, 1, [&](std::int64_t begin, std::int64_t end, int thread) {
    const Poll poll = [&] {
      if (thread == 0) shared.poll();
      if (shared.stopped()) throw Stopped{};
    };
    shared.keep_of([&] { share(begin, end, poll); });
    left -= end - begin;
    while (thread == 0 && left > 0 && !shared.stopped()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      shared.poll();
    }
  });
  shared.rethrow();
}

/// One column after the other, each on one thread.
template <class T>
void sort_alone(const Problem& p) {
  const std::int64_t columns = p.outer * p.inner;
  const auto sort = [&](std::int64_t begin, std::int64_t end, const Poll& poll) {
    for (std::int64_t column = begin; column < end; ++column) {
      const std::int64_t at = column / p.inner * p.size * p.inner + column % p.inner;
      const SortedColumn<T> places{p.k.inputs[0].as<const T>() + at, p.k.outputs[0].as<T>() + at,
                                   p.k.outputs[1].as<std::int32_t>() + at, p.inner, p.size};
      radix_sort(places, p.descending, poll);
    }
  };
  if (columns == 1 || p.k.threads == 1) return sort(0, columns, p.k.poll);
  // A column may take long: then it polls itself.
  if (p.column_bytes() > kLongColumnBytes) return share_polled(p.k, columns, sort);
  run_in_pieces(p.k, columns, p.column_bytes(),
                [&](std::int64_t begin, std::int64_t end) { sort(begin, end, {}); });
}

/// Columns too long for a tile: each thread its own, some rows of all at a time.
template <class T>
void put_back_directly(const KernelCall& k) {
  const std::int64_t size = k.call.dims[1];
  const std::int64_t inner = k.call.dims[2];
  const auto* order = k.inputs[0].as<const std::int32_t>();
  const T* dy = k.inputs[1].as<const T>();
  T* dx = k.outputs[0].as<T>();
  run_in_pieces(k, k.outputs[0].elements(), sizeof(T), [&](std::int64_t begin, std::int64_t end) {
    std::fill(dx + begin, dx + end, T(0));
  });
  const std::int64_t columns = k.call.dims[0] * inner;
  // Each element goes to a line of its own.
  const std::int64_t rows =
      std::max<std::int64_t>(1, kBytesBetweenPolls / (far_bytes(sizeof(T)) * columns));
  for (std::int64_t start = 0; start < size; start += rows) {
    if (start > 0 && k.poll) k.poll();
    const std::int64_t stop = std::min(size, start + rows);
    parallel_shares(k.threads, columns, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t column = begin; column < end;) {
        const std::int64_t j = column % inner;
        const std::int64_t count = std::min(inner - j, end - column);
        const std::int64_t top = column / inner * size * inner + j;
        for (std::int64_t r = start; r < stop; ++r) {
          const std::int64_t row = top + r * inner;
          for (std::int64_t q = 0; q < count; ++q)
            dx[top + order[row + q] * inner + q] = dy[row + q];
        }
        column += count;
      }
    });
  }
}

template <class T>
void put_back_rows(const KernelCall& k) {
  const std::int64_t outer = k.call.dims[0];
  const std::int64_t size = k.call.dims[1];
  const std::int64_t bytes = size * std::int64_t(2 * sizeof(T) + 4);
  run_in_pieces(k, outer, bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) {
      const auto* order = k.inputs[0].as<const std::int32_t>() + o * size;
      const T* dy = k.inputs[1].as<const T>() + o * size;
      T* dx = k.outputs[0].as<T>() + o * size;
      std::fill_n(dx, size, T(0));
      for (std::int64_t r = 0; r < size; ++r) dx[order[r]] = dy[r];
    }
  });
}

// By way of a tile that stays in a core's own cache: rows far apart would evict each other.
template <class T>
void put_back_columns(const KernelCall& k) {
  const std::int64_t outer = k.call.dims[0];
  const std::int64_t size = k.call.dims[1];
  const std::int64_t inner = k.call.dims[2];
  const std::int64_t fit = (std::int64_t{32} << 10) / std::int64_t(sizeof(T)) / size / 16 * 16;
  const std::int64_t width = std::clamp<std::int64_t>(fit, kLeastColumns, kNetworkColumns);
  const std::int64_t strips = divided_up(inner, width);
  const std::int64_t bytes = size * width * std::int64_t(2 * sizeof(T) + 4);
  run_in_pieces(k, outer * strips, bytes, [&](std::int64_t begin, std::int64_t end) {
    static thread_local Scratch scratch;
    // The width is even.
    T* tile = reinterpret_cast<T*>(scratch.floats(size * width * std::int64_t(sizeof(T)) / 4));
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t column = task % strips * width;
      const std::int64_t columns = std::min(width, inner - column);
      const std::int64_t top = task / strips * size * inner + column;
      const auto* order = k.inputs[0].as<const std::int32_t>() + top;
      const T* dy = k.inputs[1].as<const T>() + top;
      T* dx = k.outputs[0].as<T>() + top;
      std::fill_n(tile, size * width, T(0));
      for (std::int64_t r = 0; r < size; ++r) {
        for (std::int64_t j = 0; j < columns; ++j) {
          tile[order[r * inner + j] * width + j] = dy[r * inner + j];
        }
      }
      for (std::int64_t r = 0; r < size; ++r) {
        std::copy_n(tile + r * width, columns, dx + r * inner);
      }
    }
  });
}

}  // namespace

void run_sort(const KernelCall& k) {
  const Problem p(k);
  if (k.inputs[0].elements() == 0) return;
  const bool few = p.outer * p.inner < 3 && p.size > 256;
  if (k.call.dtype == Dtype::Float64 || p.size > kNetworkRows || few) {
    return with_element_type(k.call.dtype, [&]<class T>() { sort_alone<T>(p); });
  }
  if (p.inner == 1) return sort_rows(p);
  sort_columns(p);
}

void run_sort_backward(const KernelCall& k) {
  check_indices(k);
  if (k.outputs[0].elements() == 0) return;
  with_element_type(k.call.dtype, [&]<class T>() {
    const std::int64_t columns = k.call.dims[2] == 1 ? 1 : kLeastColumns;
    if (k.call.dims[1] * columns * std::int64_t(sizeof(T)) > kMostTileBytes) {
      return put_back_directly<T>(k);
    }
    if (k.call.dims[2] == 1) return put_back_rows<T>(k);
    put_back_columns<T>(k);
  });
}

}  // namespace siliconprof::cpu
