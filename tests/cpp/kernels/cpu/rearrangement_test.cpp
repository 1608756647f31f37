#include "siliconprof/kernels/cpu/rearrangement.h"

#include "exact_agreement.h"
#include "siliconprof/kernels/cpu/caches.h"

namespace siliconprof::cpu {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

TEST(Rearrangement, ConcatAgreesWithTheDefinitionAtAnySize) {
  for (const auto& dims : Shapes{{1, 1, 1, 1},
                                 {5, 3, 4, 7},
                                 {1000, 64, 32, 1},
                                 {1, 100, 30000, 3},
                                 {3000, 1, 2, 1},
                                 {2, 0, 5, 3},
                                 {2, 5, 0, 3},
                                 {0, 5, 4, 3},
                                 {4, 5, 4, 0}}) {
    expect_exact_agreement("concat", dims);
  }
}

TEST(Rearrangement, SlicesAgreeWithTheDefinitionWhereverTheyBegin) {
  for (const auto& dims : Shapes{{1, 1, 1, 1},
                                 {5, 9, 4, 7},
                                 {700, 64, 32, 1},
                                 {2, 50000, 40000, 3},
                                 {3, 9, 0, 2},
                                 {0, 9, 4, 2},
                                 {2, 9, 4, 0}}) {
    for (const std::int64_t begin : {std::int64_t{0}, (dims[1] - dims[2]) / 2, dims[1] - dims[2]}) {
      expect_exact_agreement("slice", dims, {double(begin)});
      expect_exact_agreement("slice_backward", dims, {double(begin)});
    }
  }
}

TEST(Rearrangement, TransposesAgreeWithTheDefinitionAtAnySize) {
  for (const auto& dims : Shapes{{1, 1, 1, 1},
                                 {1, 100, 70, 1},
                                 {3, 16, 16, 1},
                                 {2, 31, 65, 2},
                                 {2, 600, 18, 4},
                                 {2, 33, 17, 8},
                                 {2, 33, 12, 64},
                                 {2, 7, 9, 3},
                                 {2, 1, 500, 1},
                                 {2, 500, 1, 1},
                                 {0, 5, 4, 3},
                                 {2, 0, 4, 1},
                                 {2, 5, 4, 0}}) {
    expect_exact_agreement("transpose", dims);
  }
}

TEST(Rearrangement, ResultsPastTheCacheAreRightToTheLastElement) {
  const std::int64_t n = last_level_cache_bytes() / 8 / 1000 + 7;
  for (const std::int64_t first : {64, 33}) {
    expect_exact_agreement(
        Example("concat", {n * 1000 / 100, first, 101 - first, 1}, Dtype::Float32, {}, 2), {2});
  }
  expect_exact_agreement(Example("transpose", {1, 1024, n, 1}, Dtype::Float32, {}, 2), {2});
  expect_exact_agreement(Example("transpose", {1, 1001, n, 1}, Dtype::Float32, {}, 2), {2});
}

}  // namespace
}  // namespace siliconprof::cpu
