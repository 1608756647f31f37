#include "siliconprof/kernels/cpu/dropout.h"

#include <gtest/gtest.h>

#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/kernels/cpu/eigen_engine.h"
#include "siliconprof/kernels/cpu/reference_engine.h"
#include "training_agreement.h"

namespace siliconprof::cpu {
namespace {

// Lengths within a run of 65536 and past several.
TEST(Dropout, AgreesWithTheDefinitionInPlaceToo) {
  for (const Dtype dtype : kCpuDtypes) {
    for (const std::int64_t n : {0, 1, 17, 1000, 65536, 200003}) {
      for (const double rate : {0.0, 0.1, 0.75, 1.0}) {
        expect_training_op_agrees(kEigenEngine, "dropout", {n}, dtype, {rate, 17.0}, 5, {0});
      }
    }
  }
}

TEST(Dropout, ADroppedNanIsZeroAndAKeptOneStays) {
  const Example example("dropout", {1000}, Dtype::Float32, {0.5, 3.0}, 5);
  const Values plain = to_values(run(kReferenceEngine, example, 1).view());
  for (std::int64_t i = 0; i < 1000; ++i) set(example.inputs[0], i, std::nan(""));
  const Values y = to_values(run(kEigenEngine, example, 2).view());
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(std::isnan(y[i]), plain[i] != 0.0);
    EXPECT_EQ(y[i] == 0.0, plain[i] == 0.0);
  }
}

TEST(Dropout, ResultsPastTheCacheAreTheReferencesToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 8 + 12345;
  const Example example("dropout", {n}, Dtype::Float32, {0.5, 3.0}, 5);
  const Tensor found = run(kEigenEngine, example, 3);
  const Tensor exact = run(kReferenceEngine, example, 1);
  EXPECT_EQ(std::memcmp(found.view().data, exact.view().data, std::size_t(4 * n)), 0);
}

}  // namespace
}  // namespace siliconprof::cpu
