#include "siliconprof/devices/convolution_workspace.h"

#include <algorithm>
#include <array>

#include "siliconprof/core/rounding.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof {
namespace {

/// Of a call's operands.
struct Bytes {
  std::int64_t data = 0;
  std::int64_t result = 0;
  std::int64_t weights = 0;
};

Bytes bytes_of(const Convolution& c, std::int64_t element) {
  return {element * c.batch * c.channels * c.rows.length * c.columns.length,
          element * c.batch * c.outputs * c.rows.windows() * c.columns.windows(),
          element * c.outputs * c.channels * c.rows.kernel * c.columns.kernel};
}

bool is_square(const Convolution& c, std::int64_t kernel) {
  return c.rows.kernel == kernel && c.columns.kernel == kernel;
}

/// Bytes of transforms of a float32 convolution of 3 x 3, by the data's length: of each plane of
/// data or results, and of each plane of weights.
struct Transform {
  std::int64_t length;
  std::int64_t fewest;  // images
  std::int64_t most;
  std::int64_t least_channels;
  std::int64_t data_bytes;
  std::int64_t weight_bytes;
};
constexpr std::int64_t kAny = std::int64_t{1} << 40;
constexpr std::array<Transform, 4> kForward{{{32, 24, 111, 1, 16896, 33792},
                                             {16, 96, kAny, 128, 4352, 8704},
                                             {8, 128, kAny, 128, 1152, 2341},
                                             {4, 224, kAny, 128, 1152, 2343}}};
// The data's gradient: transforms of tiles, for few channels and enough results, and once for many
// small images.
constexpr std::int64_t kMostTiledChannels = 64;
constexpr std::int64_t kTiledLength = 32;
constexpr std::int64_t kFewestTiled = 14336;
constexpr std::int64_t kTileBytes = 4352;
constexpr std::int64_t kSmallLength = 8;
constexpr std::int64_t kManyImages = 704;

/// Of lengths that lie between: the transform that an image fits in, those of weights twice.
std::int64_t other_forward_bytes(const Convolution& c) {
  constexpr std::int64_t kFewestResults = 1'700'000;
  constexpr std::int64_t kLeastChannels = 128;
  constexpr std::int64_t kSmallTile = 16;
  constexpr std::int64_t kLargeTile = 32;
  const std::int64_t length = std::max(c.rows.length, c.columns.length) + c.rows.kernel - 1;
  const std::int64_t results = c.batch * c.outputs * c.rows.windows() * c.columns.windows();
  if (length > kLargeTile || results < kFewestResults) return 0;
  if (std::min(c.channels, c.outputs) < kLeastChannels) return 0;
  const std::int64_t tile = length > kSmallTile ? kLargeTile : kSmallTile;
  const std::int64_t plane = 8 * tile * (tile / 2 + 1);
  return plane * (c.batch * (c.channels + c.outputs) + 2 * c.channels * c.outputs);
}

std::int64_t forward_bytes(const Convolution& c) {
  for (const Transform& t : kForward) {
    const bool fits = c.rows.length == t.length && c.batch >= t.fewest && c.batch <= t.most &&
                      c.channels >= t.least_channels;
    if (!fits) continue;
    return t.data_bytes * c.batch * (c.channels + c.outputs) +
           t.weight_bytes * c.channels * c.outputs;
  }
  const auto is_measured = [&](const Transform& t) { return t.length == c.rows.length; };
  return std::ranges::any_of(kForward, is_measured) ? 0 : other_forward_bytes(c);
}

std::int64_t data_gradient_bytes(const Convolution& c) {
  const std::int64_t planes = c.batch * (c.channels + c.outputs);
  if (c.rows.length == kSmallLength && c.batch >= kManyImages) {
    return kTileBytes * (planes + c.channels * c.outputs);
  }
  if (c.channels > kMostTiledChannels || c.rows.length < kTiledLength) return 0;
  if (c.batch * c.rows.length * c.columns.length < kFewestTiled) return 0;
  return kTileBytes * (2 * planes + c.channels * c.outputs);
}

/// Winograd's tiles of 6 x 6 for 4 x 4 results and 3 x 3 weights, where there are enough of them;
/// windows apart: copies with channels last, where there are many channels.
std::int64_t weight_gradient_bytes(const Convolution& c, const Bytes& bytes) {
  constexpr std::int64_t kFewestTiles = 16;
  constexpr std::int64_t kFewestImages = 16;
  constexpr std::int64_t kManyChannels = 256;
  constexpr std::int64_t kSomeChannels = 128;
  constexpr std::int64_t kMostImages = 192;  // of some channels
  if (c.rows.stride > 1) {
    const bool some = c.channels >= kSomeChannels && c.batch <= kMostImages && is_square(c, 3);
    if (c.batch < kFewestImages || (c.channels < kManyChannels && !some)) return 0;
    return bytes.data + bytes.result + (is_square(c, 3) ? bytes.weights : 0);
  }
  const std::int64_t tiles = c.batch * (c.rows.windows() / 4) * (c.columns.windows() / 4);
  if (!is_square(c, 3) || tiles < kFewestTiles) return 0;
  return 9 * (bytes.data + bytes.result) / 4 + 4 * bytes.weights;
}

std::int64_t transformed_bytes(const OpCall& call, const Convolution& c, const Bytes& bytes) {
  const ConvolutionDirection direction = direction_of(call);
  if (direction == ConvolutionDirection::Weights) return weight_gradient_bytes(c, bytes);
  if (!is_square(c, 3) || c.rows.stride > 1) return 0;
  return direction == ConvolutionDirection::Data ? data_gradient_bytes(c) : forward_bytes(c);
}

/// Float32 sums of the weights' gradient, which cores share by parts of its depth until all have
/// one.
std::int64_t split_bytes(const Convolution& c) {
  constexpr std::int64_t kCores = 132;
  constexpr std::int64_t kTile = 128;
  constexpr std::int64_t kMostSplits = 14;
  const std::int64_t side = std::min(c.outputs, kTile);
  const std::int64_t depth = c.channels * c.rows.kernel * c.columns.kernel;
  if (side * depth == 0) return 0;
  const std::int64_t tiles = divided_up(c.outputs, side) * divided_up(depth, side);
  const std::int64_t splits = std::clamp<std::int64_t>(kCores / tiles, 1, kMostSplits);
  return splits * 4 * c.outputs * depth;
}

/// Windows of one place that lie apart are read where they are.
bool is_copied(const OpCall& call, const Convolution& c) {
  if (!is_square(c, 1) || c.rows.stride == 1) return true;
  const ConvolutionDirection direction = direction_of(call);
  if (direction == ConvolutionDirection::Weights) return true;
  return call.dtype != Dtype::Tf32 && direction == ConvolutionDirection::Data;
}

}  // namespace

std::int64_t convolution_workspace_bytes(const OpCall& call) {
  constexpr std::int64_t kFewest = 8;  // channels that the tensor cores' kernels take
  const Convolution c = convolution_of(call);
  const Bytes bytes = bytes_of(c, size_bytes(call.dtype));
  if (c.channels < kFewest) return 0;
  if (call.dtype == Dtype::Float32 || call.dtype == Dtype::Float64) {
    return transformed_bytes(call, c, bytes);
  }
  if (!is_copied(call, c)) return 0;
  const bool of_weights = direction_of(call) == ConvolutionDirection::Weights;
  const std::int64_t split = of_weights && c.rows.length > 1 ? split_bytes(c) : 0;
  return bytes.data + bytes.result + bytes.weights + split;
}

}  // namespace siliconprof
