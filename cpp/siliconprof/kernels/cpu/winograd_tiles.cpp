#include "siliconprof/kernels/cpu/winograd_tiles.h"

#include "siliconprof/kernels/cpu/gemm_kernels.h"
#include "siliconprof/kernels/cpu/winograd_kernels.h"

namespace siliconprof::cpu {
namespace {

// Below these it doesn't pay to transform.
constexpr std::int64_t kLeastChannels = 32;
constexpr std::int64_t kTilesWorthWeights = 64;
constexpr double kWorthwhile = 1.3;

}  // namespace

template <class T>
bool winograd_suits(const Convolution& c) {
  const GemmKernels<T>& kernels = gemm_kernels().of<T>();
  const auto is_whole = [&kernels](std::int64_t channels) {
    return channels >= kLeastChannels && channels % kernels.width() == 0;
  };
  const auto fits = [](const WindowAxis& axis) { return axis.kernel == 3 && axis.stride == 1; };
  if (!fits(c.rows) || !fits(c.columns) || !is_whole(c.channels) || !is_whole(c.outputs)) {
    return false;
  }
  const std::int64_t tiles =
      WinogradTiles::of_results(c.batch, c.rows.windows(), c.columns.windows()).count();
  return tiles >= kTilesWorthWeights && double(c.batch * c.rows.pairs() * c.columns.pairs()) >
                                            kWorthwhile * double(kWinogradProducts * tiles);
}

template bool winograd_suits<float>(const Convolution&);
template bool winograd_suits<double>(const Convolution&);

}  // namespace siliconprof::cpu
