#include "siliconprof/kernels/cpu/scatter.h"

#include "exact_agreement.h"
#include "siliconprof/core/error.h"

namespace siliconprof::cpu {
namespace {

const std::vector<std::vector<std::int64_t>> kShapes{
    {1, 1, 1},    {7, 20, 1},  {9, 300, 3},    {40, 7, 77}, {500, 3000, 16},
    {3, 5000, 2}, {5, 0, 4},   {0, 0, 4},      {3, 8, 0},   {2000, 100, 33},
    {1, 1000, 5}, {3, 40, 17}, {100000, 50, 1}};

TEST(Scatter, AgreesWithTheDefinitionAtAnySize) {
  for (const auto& dims : kShapes) {
    expect_exact_agreement("scatter", dims);
    expect_exact_agreement("scatter_backward", dims);
  }
}

TEST(Scatter, TakesTheSlopesOfMaximaAsTheDefinitionDoes) {
  for (const auto& dims : kShapes) {
    for (const Dtype dtype : kCpuDtypes) {
      const Example example("scatter_max_backward", dims, dtype, {}, 6);
      expect_exact_agreement(example);
      make_special(example, 0);  // ties
      make_special(example, 2);
      expect_exact_agreement(example);
    }
  }
}

TEST(Scatter, UpdatesItsInputInPlace) {
  const Example example("scatter", {50, 20, 9}, Dtype::Float32, {}, 3);
  const Values wanted = to_values(run(kReferenceEngine, example, 1).view());
  const std::array outputs{example.inputs[0].view()};
  run_scatter({example.call, example.views(), outputs, 2, {}});
  EXPECT_EQ(to_values(example.inputs[0].view()), wanted);
}

TEST(Scatter, AnIndexOutOfRangeIsRefusedBeforeAnythingIsWritten) {
  const Example example("scatter", {5, 3, 2}, Dtype::Float32, {}, 4);
  example.inputs[1].view().as<std::int32_t>()[2] = -1;
  EXPECT_THROW(run(kEigenEngine, example, 1), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
