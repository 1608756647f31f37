#include "siliconprof/kernels/cpu/convolution_halves.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine_agreement.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/half_choice.h"
#include "siliconprof/ops/convolution.h"

namespace siliconprof::cpu {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr std::array kDirections{"", "_data_backward", "_weight_backward"};

/// What the engine below multiplies by.
const HalfMachine* machine = nullptr;

EngineInfo info() {
  EngineInfo found;
  found.name = "halves";
  return found;
}

void convolve(const KernelCall& k) { EXPECT_TRUE(convolve_halves(k, *machine)); }

constexpr std::array<Kernel, 6> kKernels{{{"conv1d", convolve},
                                          {"conv1d_data_backward", convolve},
                                          {"conv1d_weight_backward", convolve},
                                          {"conv2d", convolve},
                                          {"conv2d_data_backward", convolve},
                                          {"conv2d_weight_backward", convolve}}};

/// Convolutions by halves, whether they suit or not.
const Engine kHalves{.name = "halves",
                     .summary = "",
                     .info = info,
                     .kernels = kKernels,
                     .product_path = half_product_path};

template <class Body>
void for_each_machine(const Body& body) {
  for (const HalfMachine& each : runnable_half_machines()) {
    machine = &each;
    SCOPED_TRACE(std::string(each.panels->instruction_set) + " " +
                 std::string(each.tiles->instruction_set));
    body();
  }
  machine = nullptr;
}

Example example_of(const std::string& op, const Dims& dims, double stride, double padding,
                   std::uint64_t seed = 7) {
  return {op, dims, Dtype::BFloat16, {stride, padding}, seed};
}

void expect_all_directions(const std::string& op, const Dims& dims, double stride, double padding,
                           int threads) {
  for (const std::string direction : kDirections) {
    const Example example = example_of(op + direction, dims, stride, padding);
    const Convolution c = convolution_of(example.call);
    const double taps = double(c.rows.kernel * c.columns.kernel);
    const double windows = double(c.batch * c.rows.windows() * c.columns.windows());
    const double most = direction == kDirections[2]   ? windows
                        : direction == kDirections[1] ? taps * double(c.outputs)
                                                      : taps * double(c.channels);
    expect_agreement(kHalves, example, threads, most + 2);
  }
}

TEST(ConvolutionHalves, EveryDirectionAgreesWithTheDefinitionForRandomShapes) {
  std::mt19937_64 random(11);
  const auto size = [&random](std::int64_t most) {
    return random() % 4 == 0 ? 1 : std::int64_t(random() % std::uint64_t(most)) + 1;
  };
  for (int i = 0; i < 20; ++i) {
    const std::int64_t kernel = size(5);
    const double padding = double(random() % std::uint64_t(kernel));
    const double stride = double(size(3));
    const int threads = 1 + int(random() % 3);
    const Dims line{size(3), kernel + size(40) - 1, size(70), size(70), kernel};
    const Dims plane{
        size(9), kernel + size(9) - 1, kernel + size(12) - 1, size(40), size(40), kernel, kernel};
    for_each_machine([&] {
      expect_all_directions("conv1d", line, stride, padding, threads);
      expect_all_directions("conv2d", plane, stride, padding, threads);
    });
  }
}

// Of few images zeros are multiplied, of 70 small ones results are cut by their taps; 1170 columns
// of a weights' gradient of few windows are made in two parts.
TEST(ConvolutionHalves, FewAndManyImagesAndManyColumnsAgree) {
  for_each_machine([&] {
    expect_all_directions("conv2d", {2, 16, 16, 40, 33, 3, 3}, 2, 1, 2);
    expect_all_directions("conv2d", {70, 4, 4, 33, 20, 3, 3}, 1, 1, 2);
    expect_all_directions("conv2d", {1, 6, 6, 130, 5, 3, 3}, 1, 1, 1);
  });
}

// Terms past a panel's 4096: of the results, of 2500 rows where those of 2048 a thread may wait; of
// the data; of the weights.
TEST(ConvolutionHalves, SumsOfManyTermsWaitForMoreOfThem) {
  const Example forward = example_of("conv2d", {1, 52, 52, 520, 3, 3, 3}, 1, 0);
  const Example data = example_of("conv2d_data_backward", {1, 8, 8, 3, 520, 3, 3}, 1, 1);
  const Example weights = example_of("conv2d_weight_backward", {20, 16, 16, 40, 5, 3, 3}, 1, 1);
  for_each_machine([&] {
    expect_agreement(kHalves, forward, 1, 4682);
    expect_agreement(kHalves, data, 2, 4682);
    expect_agreement(kHalves, weights, 2, 5122);
  });
}

// Through an engine, which leaves to float32 what zeros would make NaN of: the infinite weight of
// the first tap reaches the results whose first tap lies on data, and no others.
TEST(ConvolutionHalves, AnInfiniteWeightReachesWhatIsOnData) {
  const Example example = example_of("conv2d", {2, 6, 6, 64, 64, 3, 3}, 1, 1);
  ASSERT_EQ(halves_suit_convolution(example.call), half_machine() != nullptr);
  expect_agreement(kEigenEngine, example, 2, 578);
  set(example.inputs[1], 0, std::numeric_limits<double>::infinity());
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  for (std::int64_t i = 0; i < 2 * 6 * 6; ++i) {
    const bool on_data = i / 6 % 6 > 0 && i % 6 > 0;
    EXPECT_EQ(std::isinf(y[std::size_t(i * 64)]), on_data) << i;
    EXPECT_EQ(std::isfinite(y[std::size_t(i * 64)]), !on_data) << i;
    EXPECT_TRUE(std::isfinite(y[std::size_t(i * 64 + 1)])) << i;
  }
}

TEST(ConvolutionHalves, StridesPastTheWindowLeaveZeros) {
  for_each_machine([&] {
    const Example example = example_of("conv2d_data_backward", {2, 5, 7, 40, 33, 1, 1}, 3, 0);
    const Values dx = to_values(run(kHalves, example, 2).view());
    for (std::int64_t row = 0; row < 5; ++row) {
      for (std::int64_t column = 0; column < 7; ++column) {
        const double first = dx[std::size_t((row * 7 + column) * 40)];
        EXPECT_EQ(first == 0.0, row % 3 != 0 || column % 3 != 0) << row << " " << column;
      }
    }
  });
}

TEST(ConvolutionHalves, AnyThreadCountGivesTheSameBits) {
  for_each_machine([&] {
    for (const std::string direction : kDirections) {
      for (const Dims& dims : {Dims{3, 20, 21, 40, 70, 3, 3}, {70, 8, 8, 20, 33, 3, 3}}) {
        const Example example = example_of("conv2d" + direction, dims, 1, 1);
        const Tensor one = run(kHalves, example, 1);
        for (const int threads : {2, 3, 16}) {
          const Tensor more = run(kHalves, example, threads);
          EXPECT_EQ(std::memcmp(one.view().data, more.view().data, std::size_t(one.view().bytes())),
                    0)
              << to_string(example.call) << " threads " << threads;
        }
      }
    }
  });
}

bool done(const Example& example) {
  const Signature signature = example.call.op->signature(example.call);
  const Tensor result(Dtype::BFloat16, signature.outputs[0].shape);
  const std::vector<TensorView> results{result.view()};
  const Poll none;
  return convolve_halves({example.call, example.views(), results, 2, none}, *machine);
}

// 4 x 4 images of a few results a piece: zeros are multiplied.
TEST(ConvolutionHalves, InfinitiesThatMeetZerosAreLeftToFloat32) {
  for_each_machine([&] {
    for (const std::string direction : kDirections) {
      // weight, dy → dx; x, and weight or dy, otherwise.
      const bool data = direction == kDirections[1];
      for (const double value :
           {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        for (const double padding : {0.0, 1.0}) {
          const Example example =
              example_of("conv2d" + direction, {1, 4, 4, 40, 40, 3, 3}, 1, padding);
          EXPECT_TRUE(done(example));
          set(example.inputs[data ? 0 : 1], 0, value);
          const bool meets_zeros = padding > 0 || data;
          const bool is_nan_anyway = direction == kDirections[2] && std::isnan(value);
          EXPECT_EQ(done(example), !meets_zeros || (is_nan_anyway && padding == 0))
              << to_string(example.call) << " " << value << " padding " << padding;
        }
      }
    }
  });
}

// So many that each piece is worth the packing of its weights: none multiplies zeros.
TEST(ConvolutionHalves, OfManyImagesNoZeroMeetsAWeight) {
  for_each_machine([&] {
    const Example example = example_of("conv2d", {700, 4, 4, 40, 33, 3, 3}, 1, 1);
    set(example.inputs[1], 0, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(done(example));
  });
}

// Beside the data lies only what is before it, or only what is behind; or an infinity meets none.
TEST(ConvolutionHalves, ZerosOnEitherSideAreSeen) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for_each_machine([&] {
    const Example before = example_of("conv2d", {1, 4, 4, 40, 40, 2, 2}, 3, 1);
    set(before.inputs[1], 0, kInfinity);
    EXPECT_FALSE(done(before));
    const Example behind = example_of("conv2d_data_backward", {1, 7, 7, 40, 40, 2, 2}, 3, 0);
    set(behind.inputs[0], 0, kInfinity);
    EXPECT_FALSE(done(behind));
    const Example inside = example_of("conv2d_weight_backward", {1, 4, 4, 40, 40, 3, 3}, 1, 1);
    set(inside.inputs[1], (1 * 4 + 1) * 40, kInfinity);
    EXPECT_TRUE(done(inside));
  });
}

TEST(ConvolutionHalves, APollBetweenTurnsOfTermsCanStopIt) {
  for_each_machine([&] {
    const Example example = example_of("conv2d", {1, 8, 8, 520, 3, 3, 3}, 1, 0);
    EXPECT_THROW(run(kHalves, example, 1, [] { throw Interrupted(); }), Interrupted);
  });
}

TEST(ConvolutionHalves, SuitWhereChannelsFillPanels) {
  const bool has_machine = half_machine() != nullptr;
  const auto suits = [](const std::string& op, const Dims& dims, Dtype dtype = Dtype::BFloat16) {
    return halves_suit_convolution(Example(op, dims, dtype, {1, 1}, 1).call);
  };
  EXPECT_EQ(suits("conv2d", {8, 16, 16, 64, 64, 3, 3}), has_machine);
  EXPECT_EQ(suits("conv1d", {8, 256, 64, 64, 3}), has_machine);
  EXPECT_EQ(suits("conv2d_data_backward", {8, 16, 16, 64, 64, 3, 3}), has_machine);
  EXPECT_EQ(suits("conv2d_weight_backward", {8, 16, 16, 128, 128, 3, 3}), has_machine);
  EXPECT_FALSE(suits("conv2d", {8, 16, 16, 31, 64, 3, 3}));
  EXPECT_FALSE(suits("conv2d", {8, 16, 16, 64, 31, 3, 3}));
  EXPECT_FALSE(suits("conv2d", {8, 16, 16, 64, 64, 3, 3}, Dtype::Float16));
  EXPECT_FALSE(suits("conv2d", {8, 16, 16, 64, 64, 3, 3}, Dtype::Float32));
  EXPECT_EQ(suits("conv1d_weight_backward", {8, 256, 32, 32, 3}), has_machine);  // three tiles
  EXPECT_EQ(suits("conv1d", {8, 256, 64, 64, 64}), has_machine);
  EXPECT_FALSE(suits("conv1d", {8, 256, 64, 64, 65}));  // would be cut into as many pieces
}

// Forward panels of 576 terms, 36 KiB, of 31 or 36 of rows three at once, and two of columns; the
// data's of 360, 24 KiB, five and two; the weights' of 1152, 72 KiB, two and 18.
TEST(ConvolutionHalves, ScratchHoldsPanelsAndWhatIsMade) {
  constexpr std::int64_t kMade = 32 * (1024 + 32) * 2;
  constexpr std::array<std::int64_t, 3> kPanels{(3 + 2) * 36 << 10, (5 + 2) * 24 << 10,
                                                (2 + 18) * 72 << 10};
  for_each_machine([&] {
    for (std::size_t i = 0; i < kDirections.size(); ++i) {
      const OpCall call =
          example_of(std::string("conv2d") + kDirections[i], {2, 24, 24, 64, 40, 3, 3}, 1, 1).call;
      const HalfScratch one = convolution_half_scratch(call, *machine, 1);
      EXPECT_EQ(one.panels.caller, kPanels[i] + kMade) << kDirections[i];
      EXPECT_EQ(one.panels.other, 0);
      EXPECT_EQ(one.sums_bytes, 0);
      EXPECT_GT(convolution_half_scratch(call, *machine, 2).panels.other, 0) << kDirections[i];
    }
    const OpCall deep = example_of("conv2d", {1, 8, 8, 520, 3, 3, 3}, 1, 0).call;
    EXPECT_EQ(convolution_half_scratch(deep, *machine, 1).sums_bytes, 2 * (2 * 4096));  // chunks
  });
}

}  // namespace
}  // namespace siliconprof::cpu
