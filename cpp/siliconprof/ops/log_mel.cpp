#include "siliconprof/ops/log_mel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "siliconprof/core/checked.h"

namespace siliconprof {
namespace {

constexpr std::array<std::string_view, 3> kDims{"batch", "samples", "mels"};
/// Beyond this, sizes would no longer be exact.
constexpr double kMost = 1e9;
constexpr ValueRange kTransform{
    [](double x) { return x >= 2 && x <= kMost && std::fmod(x, 2.0) == 0.0; },
    "an even number from 2 to 1e9"};
constexpr ValueRange kDistance{[](double x) { return x >= 1 && x <= kMost && std::floor(x) == x; },
                               "a whole number from 1 to 1e9"};
constexpr std::array<AttributeInfo, 2> kAttributes{
    {{"fft", 400.0, kTransform}, {"hop", 160.0, kDistance}}};

Signature signature(const OpCall& call) {
  const LogMelSizes s = log_mel_sizes(call);
  const auto at_least_1 = [](std::int64_t n) { return std::max<std::int64_t>(n, 1); };
  // Of all counts, flops are the most: below this product.
  checked_product("log_mel", std::array{std::int64_t{16}, at_least_1(s.batch),
                                        at_least_1(s.frames()), s.bins(), s.bins() + s.mels});
  return {{Shape{s.batch, s.samples}, Shape{s.mels, s.bins()}},
          {Shape{s.batch, s.mels, s.frames()}}};
}

// Of each frame: sum, difference and window of samples that lie alike around its middle; for each
// bin the product of its real part and, but for the first and last, of its imaginary part, and its
// power; the filters' product. Of each result: comparison, logarithm, its scaling; comparisons for
// the item's largest (one less) and with it, the difference of 8; sum and quotient.
Cost cost(const OpCall& call) {
  const LogMelSizes s = log_mel_sizes(call);
  if (s.results() == 0) return {};
  const std::int64_t frames = s.batch * s.frames();
  const std::int64_t inner = s.bins() - 2;  // bins, and samples, that have both parts
  const std::int64_t size = size_bytes(call.dtype);
  return {.matrix_flops = 2 * frames * ((inner + 1) * s.bins() + inner * inner + s.mels * s.bins()),
          .vector_flops = frames * (4 * inner + 1 + s.bins() + 2 * inner) + 7 * s.results(),
          .bytes_read = (s.batch * s.samples + s.mels * s.bins()) * size,
          .bytes_written = s.results() * size};
}

}  // namespace

LogMelSizes log_mel_sizes(const OpCall& call) {
  const auto [batch, samples, mels] = first<3>(call.dims);
  return {batch, samples, mels, std::int64_t(call.attributes[0]), std::int64_t(call.attributes[1])};
}

constinit const Op kLogMel{
    .name = "log_mel",
    .summary =
        "log of the power in mel bands, as Whisper has it; audio (batch, samples), filters "
        "(mels, fft/2 + 1) → y (batch, mels, samples/hop)",
    .op_class = OpClass::MatrixProduct,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = signature,
    .cost = cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
