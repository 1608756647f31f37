#include "siliconprof/kernels/cpu/elementwise.h"

#include <algorithm>

#include "siliconprof/kernels/cpu/element_pieces.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

const char* input(const KernelCall& k, std::size_t i) { return k.inputs[i].as<const char>(); }
char* output(const KernelCall& k) { return k.outputs[0].as<char>(); }

}  // namespace

void run_copy(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const auto copy = vector_kernels().copy;
  run_in_pieces(k, k.outputs[0].bytes(), 1, [&](std::int64_t begin, std::int64_t end) {
    copy(input(k, 0) + begin, output(k) + begin, end - begin, stream);
  });
}

void run_add(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto add = vector_kernels().elements(k.call.dtype).add;
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    add(input(k, 0) + at, input(k, 1) + at, output(k) + at, end - begin, stream);
  });
}

void run_scale(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto scale = vector_kernels().elements(k.call.dtype).scale;
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    scale(input(k, 0) + at, k.call.attributes[0], output(k) + at, end - begin, stream);
  });
}

void run_triad(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const auto triad = vector_kernels().elements(k.call.dtype).triad;
  run_in_pieces(k, k.call.dims[0], size, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin * size;
    triad(input(k, 0) + at, input(k, 1) + at, k.call.attributes[0], output(k) + at, end - begin,
          stream);
  });
}

// Row i of x·yᵀ is y scaled by x[i]. A piece is a range of elements of C, so that few long rows
// are shared as well as many short ones.
void run_outer(const KernelCall& k) {
  const bool stream = exceeds_cache(k);
  const std::int64_t n = k.call.dims[1];
  const auto scale = vector_kernels().elements(k.call.dtype).scale;
  with_element_type(k.call.dtype, [&]<class T>() {
    const T* x = k.inputs[0].as<const T>();
    const T* y = k.inputs[1].as<const T>();
    T* c = k.outputs[0].as<T>();
    run_in_pieces(k, k.outputs[0].elements(), sizeof(T), [&](std::int64_t begin, std::int64_t end) {
      while (begin < end) {
        const std::int64_t row = begin / n;
        const std::int64_t column = begin % n;
        const std::int64_t count = std::min(n - column, end - begin);
        scale(y + column, double(x[row]), c + begin, count, stream);
        begin += count;
      }
    });
  });
}

}  // namespace siliconprof::cpu
