#include "siliconprof/kernels/cpu/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

namespace siliconprof::cpu {
namespace {

struct Seen {
  std::atomic<std::int64_t> indices{0};
  std::atomic<std::int64_t> sum{0};
  std::atomic<int> pieces{0};
  std::atomic<bool> is_empty{false};
};

/// Pieces of [0, n) that are `bytes_each` an index, of nothing but numbers.
void run(int threads, std::int64_t n, std::int64_t bytes_each, Seen& seen, const Poll& poll = {}) {
  const OpCall call{};
  const KernelCall k{call, {}, {}, threads, poll};
  run_in_pieces(k, n, bytes_each, [&seen](std::int64_t begin, std::int64_t end) {
    if (begin >= end) seen.is_empty = true;
    seen.indices += end - begin;
    seen.sum += (end - begin) * (begin + end - 1) / 2;
    ++seen.pieces;
  });
}

TEST(Pieces, VisitEveryIndexOnceBelowAndAboveTheCache) {
  const std::int64_t cache = last_level_cache_bytes();
  for (const int threads : {1, 2, 5}) {
    for (const std::int64_t bytes_each : {std::int64_t{0}, std::int64_t{1}, std::int64_t{12},
                                          std::int64_t{1} << 20, std::int64_t{1} << 31}) {
      const std::int64_t most = 3 * cache / std::max<std::int64_t>(1, bytes_each) + 7;
      for (const std::int64_t n : {std::int64_t{1}, most / 5 + 1, most}) {
        Seen seen;
        run(threads, n, bytes_each, seen);
        EXPECT_EQ(seen.indices, n) << threads << " threads, " << bytes_each << " bytes each";
        EXPECT_EQ(seen.sum, n * (n - 1) / 2);
        EXPECT_FALSE(seen.is_empty);
      }
    }
  }
}

TEST(Pieces, BeyondTheCacheThereAreManyMorePiecesThanThreads) {
  const std::int64_t cache = last_level_cache_bytes();
  Seen near;
  run(2, kBytesBetweenPolls / 2, 1, near);
  EXPECT_LE(near.pieces, 2);
  Seen far;
  run(2, 2 * cache, 1, far);
  const std::int64_t shortest = (2 * cache + kPieceBytes - 1) / kPieceBytes;
  EXPECT_GE(far.pieces, std::min(2 * kTurns, shortest));
  EXPECT_LE(far.pieces, shortest);
  Seen farthest;
  run(2, std::int64_t{1} << 34, std::int64_t{1} << 10, farthest);
  EXPECT_EQ(farthest.pieces, (std::int64_t{1} << 44) / kLongestPieceBytes);
}

TEST(Pieces, AGrainGoesToOneThread) {
  const OpCall call{};
  const Poll poll;
  const KernelCall k{call, {}, {}, 2, poll};
  const auto pieces = [&k](std::int64_t bytes, std::int64_t grain_bytes) {
    std::atomic<int> count{0};
    run_in_pieces(
        k, bytes, 1, [&count](std::int64_t, std::int64_t) { ++count; }, grain_bytes);
    return count.load();
  };
  for (const std::int64_t grain_bytes : {kGrainBytes, kMoveGrainBytes}) {
    EXPECT_EQ(pieces(grain_bytes, grain_bytes), 1);
    EXPECT_EQ(pieces(grain_bytes + 1, grain_bytes), 2);
  }
}

TEST(Pieces, ACopyExceedsTheCacheWhereItsTwoSidesDo) {
  const std::int64_t half = last_level_cache_bytes() / 2;
  EXPECT_FALSE(copy_exceeds_cache(half));
  EXPECT_TRUE(copy_exceeds_cache(half + 1));
}

TEST(Pieces, OperandsExceedTheCacheAndThoseOfTilesItsHalfMore) {
  const OpCall call{};
  const Poll poll;
  const std::int64_t cache = last_level_cache_bytes() / 4;  // numbers
  const auto exceed = [&](std::int64_t read, std::int64_t written) {
    const std::array<TensorView, 1> in{TensorView{nullptr, Dtype::Int32, Shape{read}}};
    const std::array<TensorView, 1> out{TensorView{nullptr, Dtype::Int32, Shape{written}}};
    const KernelCall k{call, in, out, 1, poll};
    return std::pair(exceeds_cache(k), tiles_exceed_cache(k));
  };
  EXPECT_EQ(exceed(cache - 1, 1), std::pair(false, false));
  EXPECT_EQ(exceed(cache, 1), std::pair(true, false));
  EXPECT_EQ(exceed(cache, cache * 3 / 2 - cache), std::pair(true, false));
  EXPECT_EQ(exceed(cache, cache * 3 / 2 - cache + 1), std::pair(true, true));
}

TEST(Pieces, AreFollowedByPollsAndEndWithWhatOneThrows) {
  const std::int64_t n = std::max(2 * last_level_cache_bytes(), 4 * kBytesBetweenPolls) / 1024;
  int polls = 0;
  Seen all;
  run(1, n, 1024, all, [&polls] { ++polls; });
  EXPECT_GE(polls, n * 1024 / kBytesBetweenPolls);
  Seen some;
  EXPECT_THROW(run(1, n, 1024, some, [] { throw 1; }), int);
  EXPECT_LT(some.indices, n);
}

}  // namespace
}  // namespace siliconprof::cpu
