#pragma once

// Sorts of many short columns or rows at once on one thread: each lane of a vector sorts one, by a
// network that takes the same steps whatever the values. Built once per instruction set and chosen
// at run time.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "siliconprof/core/dtype.h"
#include "siliconprof/core/rounding.h"

namespace siliconprof::cpu {

/// Rows of a column at most: their keys stay in a core's own cache.
inline constexpr std::int64_t kNetworkRows = 8192;
/// Columns that SortKernels::columns takes at most.
inline constexpr std::int64_t kNetworkColumns = 256;

/// x, values and order as in ops/sort.h; a NaN comes out as one of its format, whatever its bits.
/// `keys` is memory for key_bytes(...).
struct SortKernels {
  /// n columns of `rows` elements; rows of each operand lie `stride` elements apart.
  void (*columns)(const void* x, std::int64_t stride, std::int64_t rows, std::int64_t n,
                  bool descending, void* values, std::int32_t* order, void* keys, bool stream);
  /// `count` rows of n elements, one after the other.
  void (*rows)(const void* x, std::int64_t count, std::int64_t n, bool descending, void* values,
               std::int32_t* order, void* keys, bool stream);
};

struct SortKernelTable {
  std::string_view instruction_set;  // "avx512", "avx2", "generic"
  std::int64_t lanes;                // rows that `rows` sorts at once
  SortKernels float32;
  SortKernels float16;
  SortKernels bfloat16;

  const SortKernels& of(Dtype dtype) const {
    return dtype == Dtype::Float32 ? float32 : dtype == Dtype::Float16 ? float16 : bfloat16;
  }
};

/// Elements that a network sorts at once: powers of 2, 16 at least.
inline std::int64_t network_size(std::int64_t rows) {
  std::int64_t size = 16;
  while (size < rows) size *= 2;
  return size;
}
/// Bytes of the keys of n columns.
inline std::int64_t key_bytes(std::int64_t rows, std::int64_t n) {
  return network_size(rows) * rounded_up(n, 8) * 8;
}

namespace generic {
extern const SortKernelTable kSortKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const SortKernelTable kSortKernels;
}
namespace avx512 {
extern const SortKernelTable kSortKernels;
}
#endif

/// Those that this CPU can run, best first.
std::span<const SortKernelTable* const> runnable_sort_kernels();
/// The best of them.
const SortKernelTable& sort_kernels();

}  // namespace siliconprof::cpu
