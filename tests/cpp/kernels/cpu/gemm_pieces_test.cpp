#include "siliconprof/kernels/cpu/gemm_pieces.h"

#include <gtest/gtest.h>

#include <vector>

#include "siliconprof/ops/table.h"

namespace siliconprof::cpu {
namespace {

TEST(GemmPieces, CoverAllOnceWithAPollBetweenAndWorkForEveryThread) {
  for (const double flops : {0.0, 1e3, 1e8, 1e12}) {
    const OpCall call =
        make_call(find_op("copy"), std::vector<std::int64_t>{1}, Dtype::Float32, {});
    int polls = 0;
    const Poll poll = [&polls] { ++polls; };
    std::vector<int> met(100);
    run_by_flops({call, {}, {}, 2, poll}, 100, flops, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++met[std::size_t(i)];
    });
    EXPECT_EQ(met, std::vector<int>(100, 1));
    // 10 a thread at 10⁸ each, one a thread at 10¹².
    EXPECT_EQ(polls, flops == 1e12 ? 49 : flops == 1e8 ? 4 : 0);
  }
}

// What threads take to meet is worth 10⁶ flops.
TEST(GemmPieces, ThreadsTakeProductsWholeWhereMeetingForEachTakesLonger) {
  EXPECT_TRUE(shares_whole(1e12, 16, 16));
  EXPECT_TRUE(shares_whole(8.4e6, 12, 16));   // 8.4 against 12·(8.4 / 16 + 1)
  EXPECT_FALSE(shares_whole(8.4e6, 2, 16));   // against 2·(8.4 / 16 + 1)
  EXPECT_FALSE(shares_whole(100e6, 12, 16));  // 100 against 12·(100 / 16 + 1)
  EXPECT_TRUE(shares_whole(1e6, 2, 16));
  EXPECT_FALSE(shares_whole(1e3, 1, 16));
}

}  // namespace
}  // namespace siliconprof::cpu
