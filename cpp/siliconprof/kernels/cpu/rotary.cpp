#include "siliconprof/kernels/cpu/rotary.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "siliconprof/kernels/cpu/llama_kernels.h"
#include "siliconprof/kernels/cpu/pieces.h"
#include "siliconprof/kernels/rotary_angles.h"

namespace siliconprof::cpu {
namespace {

// Some 5 ms of sines on one thread.
constexpr std::int64_t kAnglesBetweenPolls = std::int64_t{1} << 16;

/// Cosines and sines of each token's angles, one row of head_dim/2 for each token.
template <class T>
struct Turns {
  std::int64_t tokens = -1;
  std::int64_t half = 0;
  double base = 0.0;
  bool inverse = false;
  std::vector<T> cosines;
  std::vector<T> sines;

  void prepare(const KernelCall& k) {
    const std::int64_t wanted = k.call.dims[1];
    const std::int64_t wanted_half = k.call.dims[3] / 2;
    const bool wanted_inverse = k.call.attributes[1] != 0.0;
    if (tokens == wanted && half == wanted_half && base == k.call.attributes[0] &&
        inverse == wanted_inverse) {
      return;
    }
    tokens = -1;  // until all is written: a poll may throw
    const std::int64_t n = wanted * wanted_half;
    cosines.resize(std::size_t(n));
    sines.resize(std::size_t(n));
    for (std::int64_t start = 0; start < n; start += kAnglesBetweenPolls) {
      if (start > 0 && k.poll) k.poll();
      const std::int64_t count = std::min(kAnglesBetweenPolls, n - start);
      parallel_shares(k.threads, count, 1024, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = start + begin; i < start + end; ++i) {
          const double angle = rotary_angle(k.call, i / wanted_half, i % wanted_half);
          cosines[std::size_t(i)] = T(std::cos(angle));
          sines[std::size_t(i)] = T(std::sin(angle));
        }
      });
    }
    half = wanted_half;
    base = k.call.attributes[0];
    inverse = wanted_inverse;
    tokens = wanted;
  }
};

template <class T>
void run(const KernelCall& k) {
  // Those of a forward and of a backward call, which turns back.
  thread_local std::array<Turns<T>, 2> kept;
  Turns<T>& turns = kept[k.call.attributes[1] != 0.0 ? 1 : 0];
  turns.prepare(k);
  const std::int64_t batch = k.call.dims[0];
  const std::int64_t tokens = k.call.dims[1];
  const std::int64_t heads = k.call.dims[2];
  const std::int64_t head_dim = k.call.dims[3];
  const bool stream = exceeds_cache(k);
  const std::int64_t half = head_dim / 2;
  const std::int64_t row_bytes = heads * head_dim * size_bytes(k.call.dtype);
  const auto turn = llama_kernels().of(k.call.dtype).turn;
  const char* x = k.inputs[0].as<const char>();
  char* y = k.outputs[0].as<char>();
  const T* cosines = turns.cosines.data();
  const T* sines = turns.sines.data();
  const std::int64_t places = row_bytes == 0 ? 0 : batch * tokens;
  run_in_pieces(k, places, row_bytes, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t at = place % tokens * half;
      turn(x + place * row_bytes, cosines + at, sines + at, y + place * row_bytes, heads, half,
           stream);
    }
  });
}

}  // namespace

void run_rotary(const KernelCall& k) {
  k.call.dtype == Dtype::Float64 ? run<double>(k) : run<float>(k);
}

}  // namespace siliconprof::cpu
