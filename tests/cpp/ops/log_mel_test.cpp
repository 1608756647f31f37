#include "siliconprof/ops/log_mel.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/core/error.h"

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
