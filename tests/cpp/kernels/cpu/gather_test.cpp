#include "siliconprof/kernels/cpu/gather.h"

#include "exact_agreement.h"
#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {
namespace {

TEST(Gather, AgreesWithTheDefinitionAtAnySize) {
  for (const std::vector<std::int64_t>& dims :
       std::vector<std::vector<std::int64_t>>{{1, 1, 1},
                                              {7, 20, 1},
                                              {3, 5000, 2},
                                              {9, 300, 3},
                                              {40, 7, 77},
                                              {500, 3000, 16},
                                              {500, 3000, 32},
                                              {9, 40, 80},
                                              {5, 0, 4},
                                              {0, 0, 4},
                                              {3, 8, 0}}) {
    expect_exact_agreement("gather", dims);
    expect_exact_agreement("embedding", dims);
  }
}

TEST(Gather, RowsPastTheCacheAreRightToTheLast) {
  for (const std::int64_t columns : {16, 33}) {
    const std::int64_t count = last_level_cache_bytes() / columns / 4 + 1001;
    const Example example("gather", {50, count, columns}, Dtype::Float32, {}, 4);
    const Tensor y = run(kEigenEngine, example, 2);
    const auto* x = example.inputs[0].view().as<float>();
    const auto* index = example.inputs[1].view().as<std::int32_t>();
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(std::memcmp(y.view().as<float>() + i * columns, x + index[i] * columns,
                            std::size_t(columns) * 4),
                0)
          << i;
    }
  }
}

TEST(Gather, AnIndexOutOfRangeIsRefused) {
  const Example example("gather", {5, 3, 2}, Dtype::Float32, {}, 4);
  example.inputs[1].view().as<std::int32_t>()[2] = 5;
  EXPECT_THROW(run(kEigenEngine, example, 1), ArgumentError);
}

}  // namespace
}  // namespace siliconprof::cpu
