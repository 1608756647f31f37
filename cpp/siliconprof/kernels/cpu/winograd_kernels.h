#pragma once

// Loops of Winograd's F(2x2, 3x3) on one thread: 2 x 2 results of a 3 x 3 window from 16 products
// rather than 36 [lavin2016]. Built for each instruction set. Products are numbered i·4 + j, pixels
// and taps row by row; channels are a multiple of a vector.

#include <cstdint>
#include <span>
#include <string_view>

namespace siliconprof::cpu {

inline constexpr std::int64_t kWinogradProducts = 16;

/// Where the factors of the products go: of channel c of product e to
/// data[e·product_step + c / width · panel_step + c % width].
template <class T>
struct WinogradFactors {
  T* data;
  std::int64_t product_step;
  std::int64_t panel_step;
  std::int64_t width;
};

template <class T>
struct WinogradLoops {
  /// Of 4 x 4 pixels of the data.
  void (*from_data)(const T* const* pixels, std::int64_t channels, const WinogradFactors<T>& to);
  /// Of 3 x 3 weights.
  void (*from_weights)(const T* const* taps, std::int64_t channels, const WinogradFactors<T>& to);
  /// Of 2 x 2 results' gradients.
  void (*from_slopes)(const T* const* pixels, std::int64_t channels, const WinogradFactors<T>& to);
  /// 2 x 2 results of the products; false where one of them isn't finite.
  bool (*to_results)(const T* products, std::int64_t product_step, std::int64_t channels,
                     T* const* pixels);
  /// 3 x 3 weights' gradients of the sums of products; false alike.
  bool (*to_weight_slopes)(const T* sums, std::int64_t product_step, std::int64_t channels,
                           T* const* taps);
};

struct WinogradKernels {
  std::string_view instruction_set;
  WinogradLoops<float> float32;
  WinogradLoops<double> float64;

  template <class T>
  const WinogradLoops<T>& of() const {
    if constexpr (sizeof(T) == 8) {
      return float64;
    } else {
      return float32;
    }
  }
};

/// Those that this CPU can run, best first.
std::span<const WinogradKernels* const> runnable_winograd_kernels();
/// The best of them.
const WinogradKernels& winograd_kernels();

namespace generic {
extern const WinogradKernels kWinogradKernels;
}
#if defined(__x86_64__)
namespace avx2 {
extern const WinogradKernels kWinogradKernels;
}
namespace avx512 {
extern const WinogradKernels kWinogradKernels;
}
#endif

}  // namespace siliconprof::cpu
