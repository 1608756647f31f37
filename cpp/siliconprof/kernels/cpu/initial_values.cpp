#include "siliconprof/kernels/cpu/initial_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "siliconprof/core/uniform_values.h"
#include "siliconprof/kernels/cpu/element_type.h"
#include "siliconprof/kernels/cpu/turns.h"
#include "siliconprof/kernels/cpu/vector_kernels.h"

namespace siliconprof::cpu {
namespace {

constexpr std::int64_t kElementsBetweenPolls = std::int64_t{1} << 22;  // some 10 ms
constexpr std::int64_t kGrainElements = 4096;

#include "siliconprof/core/splitmix64.inc"

// Of element `i`, from 0.
std::uint64_t bits_at(std::uint64_t seed, std::int64_t i) {
  return splitmix64(seed, std::uint64_t(i) + 1);
}

float uniform(std::uint64_t bits) { return float(bits >> 40) * 0x1p-23F - 1.0F; }

// Four 16-bit numbers uniform in [0, 1) have a sum of mean 2 and variance 1/3.
float normal(std::uint64_t bits) {
  const auto sum =
      float((bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48));
  return (sum * 0x1p-16F - 2.0F) * 1.7320508F;
}

double sinusoid(std::int64_t position, std::int64_t channel, std::int64_t channels) {
  const std::int64_t half = channels / 2;
  const double step = std::log(10000.0) / double(std::max<std::int64_t>(half - 1, 1));
  const double angle = double(position) * std::exp(-step * double(channel % half));
  return channel < half ? std::sin(angle) : std::cos(angle);
}

Dtype stored(const TensorView& tensor) {
  return tensor.dtype == Dtype::Tf32 ? Dtype::Float32 : tensor.dtype;
}

// Calls body(begin, end) on shares of the elements.
template <class Body>
void share(std::int64_t n, int threads, const Poll& poll, const Body& body) {
  keep_shares(threads, poll, n, kGrainElements, kElementsBetweenPolls, body);
}

template <class T, class F>
void each(const TensorView& tensor, int threads, const Poll& poll, F value) {
  T* data = tensor.as<T>();
  share(tensor.elements(), threads, poll, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) data[i] = T(value(i));
  });
}

template <class T>
void fill(const TensorView& tensor, const TensorInfo& info, int threads, const Poll& poll) {
  const std::uint64_t seed = name_seed(info.name);
  const auto scale = float(info.initial->scale);
  switch (info.initial->kind) {
    case Initial::Kind::Constant:
      return each<T>(tensor, threads, poll, [=](std::int64_t) { return scale; });
    case Initial::Kind::Uniform:
      return each<T>(tensor, threads, poll,
                     [=](auto i) { return scale * uniform(bits_at(seed, i)); });
    case Initial::Kind::Normal:
      return each<T>(tensor, threads, poll,
                     [=](auto i) { return scale * normal(bits_at(seed, i)); });
    case Initial::Kind::Sinusoids: {
      const std::int64_t channels = std::max<std::int64_t>(info.shape[info.shape.rank - 1], 2);
      return each<T>(tensor, threads, poll, [=](std::int64_t i) {
        return float(scale * sinusoid(i / channels, i % channels, channels));
      });
    }
  }
}

// Numbers `first` to `first` + n of fill_uniform's sequence.
template <class T>
void write_uniform(Dtype dtype, std::uint64_t seed, std::int64_t first, std::int64_t n, T* out) {
  const VectorKernels& kernels = vector_kernels();
  const float most = largest_below_one(dtype);
  if constexpr (std::is_same_v<T, float>) {
    kernels.uniform(seed, first, most, out, n);
  } else {
    std::array<float, 4096> block;
    for (std::int64_t i = 0; i < n; i += std::int64_t(block.size())) {
      const std::int64_t count = std::min(std::int64_t(block.size()), n - i);
      kernels.uniform(seed, first + i, most, block.data(), count);
      if constexpr (std::is_same_v<T, double>) {
        std::copy_n(block.data(), count, out + i);
      } else {
        kernels.products(dtype).narrow(block.data(), out + i, count);
      }
    }
  }
}

// Of a tensor that nothing is said of.
void fill_unsaid(const TensorView& tensor, const TensorInfo& info, int threads, const Poll& poll) {
  const std::uint64_t seed = name_seed(info.name);
  if (info.dtype == Dtype::Int32) return fill_indices(tensor, info.index_limit, seed);
  const Dtype dtype = stored(tensor);
  with_element_type(dtype, [&]<class T>() {
    share(tensor.elements(), threads, poll, [&](std::int64_t begin, std::int64_t end) {
      write_uniform(dtype, seed, begin, end - begin, tensor.as<T>() + begin);
    });
  });
}

}  // namespace

// FNV-1a.
std::uint64_t name_seed(std::string_view name) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    value = (value ^ std::uint64_t(static_cast<unsigned char>(c))) * 0x100000001b3ULL;
  }
  return value;
}

void fill_initial(const TensorView& tensor, const TensorInfo& info, int threads, const Poll& poll) {
  if (!info.initial) return fill_unsaid(tensor, info, threads, poll);
  with_element_type(stored(tensor), [&]<class T>() { fill<T>(tensor, info, threads, poll); });
}

}  // namespace siliconprof::cpu
