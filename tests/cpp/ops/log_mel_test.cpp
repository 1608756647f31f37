#include "siliconprof/ops/log_mel.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;
using Attributes = std::vector<double>;

TEST(LogMel, ThirtySecondsAreThreeThousandFrames) {
  const OpCall call = make_call(kLogMel, Dims{1, 480000, 80}, Dtype::Float32, {});
  const Signature signature = kLogMel.signature(call);
  EXPECT_EQ(signature.inputs[1].shape, (Shape{80, 201}));
  EXPECT_EQ(signature.outputs[0].shape, (Shape{1, 80, 3000}));
}

TEST(LogMel, CostsWhatItsFormulaSays) {
  // 2 frames of 4 samples, 3 bins, 5 bands. Each frame: a sum, a difference and their windows, the
  // middle's window; 2 terms for each bin, and 1 for the second's imaginary part; 3 powers of 1
  // product, one of them with 2 more operations.
  const OpCall call = make_call(kLogMel, Dims{1, 7, 5}, Dtype::Float32, Attributes{4, 3});
  EXPECT_EQ(kLogMel.cost(call), (Cost{.matrix_flops = 2 * (2 * (3 * 2 + 1) + 2 * 5 * 3),
                                      .vector_flops = 2 * (4 + 1 + 3 + 2) + 7 * 10,
                                      .bytes_read = 4 * (7 + 15),
                                      .bytes_written = 4 * 10}));
}

TEST(LogMel, GradientsCostWhatTheyMakeOnceMoreAndTheWayBack) {
  // As above: 2 frames of 14 + 7 + 8 flops and 7 and 15 products, 10 results. Products with filters
  // for each bin's power, or for each filter; for samples, the transform's 7 once more, 3 real and
  // 1 imaginary part, 4 for the pair of samples, 3 sums.
  const Dims dims{1, 7, 5};
  const Attributes attributes{4, 3};
  const auto cost = [&](const Op& op) {
    return op.cost(make_call(op, dims, Dtype::Float32, attributes));
  };
  const std::int64_t read = 4 * (7 + 15 + 2 * 10);
  EXPECT_EQ(cost(kLogMelBackward),
            (Cost{.matrix_flops = 2 * 2 * (2 * 7 + 2 * 15),
                  .vector_flops = 2 * (4 + 1 + 3 + 2) + 9 * 10 + 4 + 2 * (3 + 1 + 4 + 3),
                  .bytes_read = read,
                  .bytes_written = 4 * 7}));
  EXPECT_EQ(cost(kLogMelFiltersBackward), (Cost{.matrix_flops = 2 * 2 * (7 + 2 * 15),
                                                .vector_flops = 2 * (4 + 1 + 3 + 2) + 9 * 10 + 4,
                                                .bytes_read = read,
                                                .bytes_written = 4 * 15}));
}

TEST(LogMel, GradientsOfNoFramesAreZerosThatAreWritten) {
  const Dims dims{2, 7, 5};
  EXPECT_EQ(kLogMelBackward.cost(make_call(kLogMelBackward, dims, Dtype::Float32, {})),
            (Cost{.bytes_written = 4 * 14}));
  EXPECT_EQ(
      kLogMelFiltersBackward.cost(make_call(kLogMelFiltersBackward, dims, Dtype::Float32, {})),
      (Cost{.bytes_written = 4 * 5 * 201}));
}

TEST(LogMel, ItsRuleAsksForBothGradientsFromTheKeptResult) {
  const Trace trace = single_op("log_mel", {{"batch", 1}, {"samples", 640}, {"mels", 5}},
                                Dtype::Float32, {{"fft", 60}, {"hop", 20}}, true);
  ASSERT_EQ(trace.calls().size(), 3U);
  const auto [forward, audio, filters] =
      std::array{trace.calls()[0], trace.calls()[1], trace.calls()[2]};
  EXPECT_EQ(audio.op, &kLogMelBackward);
  EXPECT_EQ(filters.op, &kLogMelFiltersBackward);
  for (const OpCall& gradient : {audio, filters}) {
    EXPECT_EQ(gradient.inputs[2], forward.outputs[0]);
    EXPECT_EQ(gradient.attributes[0], 60);
    EXPECT_EQ(gradient.attributes[1], 20);
  }
}

TEST(LogMel, TheFloorIsTwoBelowTheLargestButForRounding) {
  for (const Dtype dtype : {Dtype::Float64, Dtype::Float32, Dtype::Float16, Dtype::BFloat16}) {
    const LogMelFloor floor = log_mel_floor(dtype);
    const double at_1 = floor.scale * 1 + floor.shift;
    EXPECT_GT(at_1, -1) << name(dtype);
    EXPECT_LT(at_1, -1 + 0.05) << name(dtype);
  }
  EXPECT_LT(log_mel_floor(Dtype::Float64).scale - 1, 1e-15);
}

TEST(LogMel, SamplesAreMirroredAtBothEndsAsOftenAsItTakes) {
  const LogMelSizes s{.batch = 1, .samples = 4, .mels = 1, .fft = 2, .hop = 1};
  std::vector<std::int64_t> found;
  for (std::int64_t i = -4; i < 8; ++i) found.push_back(s.reflected(i));
  EXPECT_EQ(found, (std::vector<std::int64_t>{2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1}));
  const LogMelSizes one{.batch = 1, .samples = 1, .mels = 1, .fft = 2, .hop = 1};
  EXPECT_EQ(one.reflected(-3), 0);
}

TEST(LogMel, RefusesOddTransformsAndPartsOfAHop) {
  for (const Attributes& wrong :
       {Attributes{5, 1}, {0, 1}, {4.5, 1}, {4, 0}, {4, 1.5}, {1e10, 1}}) {
    EXPECT_THROW(make_call(kLogMel, Dims{1, 9, 2}, Dtype::Float32, wrong), ArgumentError);
  }
  EXPECT_THROW(
      make_call(kLogMel, Dims{1, std::int64_t{1} << 40, 2}, Dtype::Float32, Attributes{1e9, 1}),
      ShapeError);
}

}  // namespace
}  // namespace siliconprof
