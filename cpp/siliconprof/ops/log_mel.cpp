#include "siliconprof/ops/log_mel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "siliconprof/core/checked.h"
#include "siliconprof/ops/emit.h"
#include "siliconprof/ops/trace.h"

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

/// Shapes of audio, filters and y.
std::array<Shape, 3> shapes(const OpCall& call) {
  const LogMelSizes s = log_mel_sizes(call);
  const auto at_least_1 = [](std::int64_t n) { return std::max<std::int64_t>(n, 1); };
  // Of all counts, the gradient's flops are the most: below this product.
  checked_product(call.op->name, std::array{std::int64_t{32}, at_least_1(s.batch),
                                            at_least_1(s.frames()), s.bins(), s.bins() + s.mels});
  return {Shape{s.batch, s.samples}, Shape{s.mels, s.bins()}, Shape{s.batch, s.mels, s.frames()}};
}

Signature signature(const OpCall& call) {
  const auto [audio, filters, y] = shapes(call);
  return {{audio, filters}, {y}};
}
Signature backward_signature(const OpCall& call) {
  const auto [audio, filters, y] = shapes(call);
  return {{audio, filters, y, y}, {audio}};
}
Signature filters_backward_signature(const OpCall& call) {
  const auto [audio, filters, y] = shapes(call);
  return {{audio, filters, y, y}, {filters}};
}

// What one frame takes. Bins, and samples, that have both parts are two fewer than bins.
struct FrameFlops {
  explicit FrameFlops(const LogMelSizes& s)
      : inner(s.bins() - 2),
        transform(2 * ((inner + 1) * s.bins() + inner * inner)),
        filters(2 * s.mels * s.bins()),
        powers(4 * inner + 1 + s.bins() + 2 * inner) {}

  std::int64_t inner;
  /// For each bin the product of its real part and, but for the first and last, of its imaginary
  /// part.
  std::int64_t transform;
  std::int64_t filters;
  /// Sum, difference and window of samples that lie alike around the middle; squares of the parts.
  std::int64_t powers;
};

// Of each result: comparison, logarithm, its scaling; comparisons for the item's largest (one less)
// and with it, the difference of 8; sum and quotient.
Cost cost(const OpCall& call) {
  const LogMelSizes s = log_mel_sizes(call);
  if (s.results() == 0) return {};
  const FrameFlops frame(s);
  const std::int64_t frames = s.batch * s.frames();
  const std::int64_t size = size_bytes(call.dtype);
  return {.matrix_flops = frames * (frame.transform + frame.filters),
          .vector_flops = frames * frame.powers + 7 * s.results(),
          .bytes_read = (s.batch * s.samples + s.mels * s.bins()) * size,
          .bytes_written = s.results() * size};
}

// What both gradients need. Of each result: comparisons for the item's least and largest (one
// less), with both; what was raised, summed; the largest ones' share added; product, quotient and
// comparison that make it the gradient of a filtered sum. Of an item: the least that isn't raised,
// its comparison, the share, spoilt where y is.
Cost cost_of_sums(const LogMelSizes& s, Dtype dtype) {
  const FrameFlops frame(s);
  const std::int64_t frames = s.batch * s.frames();
  return {.matrix_flops = frames * (frame.transform + 2 * frame.filters),
          .vector_flops = frames * frame.powers + 9 * s.results() + 4 * s.batch,
          .bytes_read =
              (s.batch * s.samples + s.mels * s.bins() + 2 * s.results()) * size_bytes(dtype)};
}

// And of each frame: products with the parts; the transform back; sums, differences and windows;
// each sample's sum, but for the first, whose window is 0.
Cost backward_cost(const OpCall& call) {
  const LogMelSizes s = log_mel_sizes(call);
  Cost cost;
  if (s.results() > 0) {
    cost = cost_of_sums(s, call.dtype);
    const FrameFlops frame(s);
    const std::int64_t frames = s.batch * s.frames();
    cost.matrix_flops += frames * frame.transform;
    cost.vector_flops += frames * (s.bins() + frame.inner + 4 * frame.inner + s.fft - 1);
  }
  cost.bytes_written = s.batch * s.samples * size_bytes(call.dtype);
  return cost;
}

Cost filters_backward_cost(const OpCall& call) {
  const LogMelSizes s = log_mel_sizes(call);
  Cost cost;
  if (s.results() > 0) cost = cost_of_sums(s, call.dtype);
  cost.bytes_written = s.mels * s.bins() * size_bytes(call.dtype);
  return cost;
}

std::vector<TensorId> vjp(Trace& trace, const OpCall& call, std::span<const TensorId> cotangents) {
  const TensorId y = kept_output(trace, call);
  const auto gradient = [&](const Op& op, std::string_view name) {
    return emit_gradient(trace, op, {call.dims[0], call.dims[1], call.dims[2]}, call.dtype,
                         {call.attributes[0], call.attributes[1]},
                         {call.inputs[0], call.inputs[1], y, cotangents[0]}, name);
  };
  const TensorId daudio = gradient(kLogMelBackward, "daudio");
  return {daudio, gradient(kLogMelFiltersBackward, "dfilters")};
}

}  // namespace

LogMelSizes log_mel_sizes(const OpCall& call) {
  const auto [batch, samples, mels] = first<3>(call.dims);
  return {batch, samples, mels, std::int64_t(call.attributes[0]), std::int64_t(call.attributes[1])};
}

LogMelFloor log_mel_floor(Dtype dtype) {
  double roundoff = 0x1p-53;
  if (dtype == Dtype::Float32) roundoff = 0x1p-24;
  if (dtype == Dtype::Float16) roundoff = 0x1p-11;
  if (dtype == Dtype::BFloat16) roundoff = 0x1p-8;
  // Largest and least are each off by the roundoff of their size, which is below largest + 4: no y
  // is below -1.5.
  return {1 + 2 * roundoff, 8 * roundoff - 2};
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
    .vjp = vjp,
};

constinit const Op kLogMelBackward{
    .name = "log_mel_backward",
    .summary =
        "gradient of log_mel by its audio; audio (batch, samples), filters (mels, fft/2 + 1), y, "
        "dy (batch, mels, samples/hop) → daudio (batch, samples)",
    .op_class = OpClass::MatrixProduct,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = backward_signature,
    .cost = backward_cost,
    .vjp = nullptr,
};

constinit const Op kLogMelFiltersBackward{
    .name = "log_mel_filters_backward",
    .summary =
        "gradient of log_mel by its filters; audio (batch, samples), filters (mels, fft/2 + 1), y, "
        "dy (batch, mels, samples/hop) → dfilters (mels, fft/2 + 1)",
    .op_class = OpClass::MatrixProduct,
    .dim_names = kDims,
    .attributes = kAttributes,
    .signature = filters_backward_signature,
    .cost = filters_backward_cost,
    .vjp = nullptr,
};

}  // namespace siliconprof
