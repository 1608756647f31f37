#include "siliconprof/kernels/cpu/bias.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "siliconprof/kernels/cpu/pieces.h"

namespace siliconprof::cpu {
namespace {

// Shorter rows are taken several at a time, with the bias repeated.
constexpr std::int64_t kLeastRow = 512;

/// The bias as often as fills a row of decent length.
struct RepeatedBias {
  const char* data;
  std::int64_t n;  // its elements
  std::vector<char> copies;

  explicit RepeatedBias(const KernelCall& k)
      : data(k.inputs[1].as<const char>()), n(k.call.dims[1]) {
    const std::int64_t times = std::min(kLeastRow / n, k.call.dims[0]);
    if (times < 2) return;
    const std::size_t bytes = std::size_t(k.inputs[1].bytes());
    copies.resize(bytes * std::size_t(times));
    for (std::size_t at = 0; at < copies.size(); at += bytes) {
      std::memcpy(copies.data() + at, data, bytes);
    }
    data = copies.data();
    n *= times;
  }
};

/// Calls body(first byte, rows, elements of a row, bias) on the threads' shares.
template <class Body>
void for_bias_rows(const KernelCall& k, std::int64_t arrays, const Body& body) {
  const std::int64_t rows = k.call.dims[0];
  const std::int64_t n = k.call.dims[1];
  if (n == 0) return;
  const RepeatedBias bias(k);
  const std::int64_t size = size_bytes(k.call.dtype);
  const std::int64_t wide_rows = rows * n / bias.n;
  run_in_pieces(k, wide_rows, arrays * bias.n * size, [&](std::int64_t begin, std::int64_t end) {
    body(begin * bias.n * size, end - begin, bias.n, bias.data);
  });
  const std::int64_t rest = rows * n - wide_rows * bias.n;
  if (rest > 0) body(wide_rows * bias.n * size, rest / k.call.dims[1], k.call.dims[1], bias.data);
}

}  // namespace

void run_bias(const KernelCall& k, BiasMap RowLoops::*loop) {
  const BiasMap map = row_loops(k.call.dtype).*loop;
  const bool stream = exceeds_cache(k);
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  for_bias_rows(k, 2, [&](std::int64_t at, std::int64_t rows, std::int64_t n, const void* bias) {
    map(x + at, bias, y + at, rows, n, stream);
  });
}

void run_bias_backward(const KernelCall& k, BiasSlope RowLoops::*loop) {
  const BiasSlope slope = row_loops(k.call.dtype).*loop;
  const bool stream = exceeds_cache(k);
  const char* x = k.inputs[0].as<const char>();
  const char* dy = k.inputs[2].as<const char>();
  char* dx = k.outputs[0].as<char>();
  for_bias_rows(k, 3, [&](std::int64_t at, std::int64_t rows, std::int64_t n, const void* bias) {
    slope(x + at, bias, dy + at, dx + at, rows, n, stream);
  });
}

}  // namespace siliconprof::cpu
