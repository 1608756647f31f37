#include "siliconprof/kernels/cpu/cast.h"

#include <algorithm>

#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/movement_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {

void run_cast(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const std::int64_t from = size_bytes(k.inputs[0].dtype);
  const std::int64_t to = size_bytes(k.outputs[0].dtype);
  const Cast cast =
      movement_kernels().cast[format_index(k.inputs[0].dtype)][format_index(k.outputs[0].dtype)];
  run_in_pieces(k, k.call.dims[0], from + to, [&](std::int64_t begin, std::int64_t end) {
    cast(k.inputs[0].as<const char>() + begin * from, k.outputs[0].as<char>() + begin * to,
         end - begin, stream);
  });
}

// From a tile that stays in the first cache.
void run_fill(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const auto copy = vector_kernels().copy;
  with_element_type(k.call.dtype, [&]<class T>() {
    constexpr std::int64_t kTile = 16384 / std::int64_t(sizeof(T));
    alignas(64) std::array<T, std::size_t(kTile)> tile;
    const T value(static_cast<Accumulator<T>>(k.call.attributes[0]));
    std::fill_n(tile.data(), std::min(kTile, k.call.dims[0]), value);
    run_in_pieces(k, k.call.dims[0], sizeof(T), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; i += kTile) {
        const std::int64_t bytes = std::min(kTile, end - i) * std::int64_t(sizeof(T));
        copy(tile.data(), k.outputs[0].as<T>() + i, bytes, stream);
      }
    });
  });
}

}  // namespace siliconprof::cpu
