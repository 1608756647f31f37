#include "siliconprof/ops/clip.h"

#include <gtest/gtest.h>

#include <vector>

namespace siliconprof {
namespace {

const std::vector<std::int64_t> kSeven{7};

TEST(SquareSum, ReadsEachElementAndTheTotalOnce) {
  EXPECT_EQ(kSquareSum.cost(make_call(kSquareSum, kSeven, Dtype::Float16, {})),
            (Cost{.vector_flops = 14, .bytes_read = 18, .bytes_written = 4}));
}

TEST(Clip, CostsAProductEachAndFourFlopsForTheFactor) {
  EXPECT_EQ(kClip.cost(make_call(kClip, kSeven, Dtype::Float16, {})),
            (Cost{.vector_flops = 11, .bytes_read = 18, .bytes_written = 14}));
}

}  // namespace
}  // namespace siliconprof
