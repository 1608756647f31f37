#include "siliconprof/kernels/cpu/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace siliconprof::cpu {
namespace {

TEST(Parallel, SharesCoverEveryIndexOnceAndBeginAtGrains) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::int64_t n : {1, 5, 64, 65, 1000}) {
      for (const std::int64_t grain : {1, 16, 100}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
        std::atomic<int> uneven{0};
        std::atomic<int> empty{0};
        parallel_shares(threads, n, grain, [&](std::int64_t begin, std::int64_t end, int) {
          if (begin % grain != 0) ++uneven;
          if (begin >= end) ++empty;
          for (std::int64_t i = begin; i < end; ++i) ++visits[std::size_t(i)];
        });
        EXPECT_EQ(uneven, 0);
        EXPECT_EQ(empty, 0);
        for (const auto& count : visits) ASSERT_EQ(count, 1);
      }
    }
  }
}

// Plain numbers that threads hand over: `make tsan` sees a race where shares begin before what the
// caller wrote is there for them, or the caller goes on before theirs is.
TEST(Parallel, SharesReadWhatTheCallerWroteAndTheCallerWhatTheyDid) {
  constexpr std::int64_t kCount = 997;
  std::vector<std::int64_t> numbers(kCount);
  std::vector<std::int64_t> turned(kCount);
  for (const int threads : {2, 3, 4}) {
    for (std::int64_t round = 0; round < 20; ++round) {
      numbers.assign(kCount, round);
      parallel_shares(threads, kCount, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i) numbers[std::size_t(i)] += i;
      });
      // Each share now reads what another one wrote.
      parallel_shares(threads, kCount, 16, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end; ++i) {
          turned[std::size_t(i)] = numbers[std::size_t(kCount - 1 - i)];
        }
      });
      for (std::int64_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(turned[std::size_t(i)], round + kCount - 1 - i);
      }
    }
  }
}

#if defined(_OPENMP)
// A runtime that ends the threads a small team leaves out would have to start others.
TEST(Parallel, LittleWorkLeavesTheThreadsForMore) {
  static std::atomic<int> seen{0};
  constexpr int kThreads = 5;
  for (const std::int64_t n : {1000, 2, 1000, 3, 1000, 1, 1000}) {
    parallel_shares(kThreads, n, 1, [](std::int64_t, std::int64_t, int) {
      [[maybe_unused]] thread_local const int own = ++seen;
    });
  }
  EXPECT_LE(seen, kThreads);
}
#endif

TEST(Parallel, WhatABodyThrowsOnAnyThreadReachesTheCaller) {
  for (const int threads : {1, 2, 5}) {
    for (const std::int64_t thrower : {0, 999}) {
      std::atomic<std::int64_t> done{0};
      const auto body = [&](std::int64_t begin, std::int64_t end, int) {
        done += end - begin;
        if (begin <= thrower && thrower < end) throw std::bad_alloc();
      };
      EXPECT_THROW(parallel_shares(threads, 1000, 1, body), std::bad_alloc) << threads;
      EXPECT_EQ(done, 1000);
    }
  }
}

TEST(Parallel, NothingRunsForNoWork) {
  parallel_shares(4, 0, 1, [](std::int64_t, std::int64_t, int) { FAIL(); });
}

}  // namespace
}  // namespace siliconprof::cpu
