#include "siliconprof/kernels/cpu/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>

namespace siliconprof::cpu {
namespace {

struct Interrupt : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr std::int64_t kIndices = 1003;
using Visits = std::array<std::atomic<int>, kIndices>;

void visit(Visits& visits, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) ++visits[std::size_t(i)];
}

std::int64_t visited(const Visits& visits) {
  return std::count_if(visits.begin(), visits.end(), [](const auto& n) { return n == 1; });
}

class Turns : public testing::TestWithParam<int> {};

TEST_P(Turns, TakeEveryIndexOnceInPiecesThatBeginAtMultiples) {
  Visits visits{};
  std::atomic<bool> begins_at_multiples{true};
  const Poll none;
  take_turns(GetParam(), none, kIndices, 10, 3, [&](std::int64_t begin, std::int64_t end) {
    if (begin % 10 != 0 || end - begin > 10) begins_at_multiples = false;
    visit(visits, begin, end);
  });
  EXPECT_EQ(visited(visits), kIndices);
  EXPECT_TRUE(begins_at_multiples);
}

TEST_P(Turns, KeptSharesVisitEveryIndexOnceInPieces) {
  Visits visits{};
  std::atomic<std::int64_t> longest{0};
  const Poll none;
  keep_shares(GetParam(), none, kIndices, 4, 100, [&](std::int64_t begin, std::int64_t end) {
    longest = std::max(longest.load(), end - begin);
    visit(visits, begin, end);
  });
  EXPECT_EQ(visited(visits), kIndices);
  EXPECT_LE(longest, 100);
}

TEST_P(Turns, WhatPollThrowsEndsTheWorkAndIsThrownOn) {
  Visits visits{};
  const Poll poll = [] { throw Interrupt("stop"); };
  EXPECT_THROW(take_turns(1, poll, kIndices, 10, 2,
                          [&](std::int64_t begin, std::int64_t end) { visit(visits, begin, end); }),
               Interrupt);
  EXPECT_EQ(visited(visits), 20);
  EXPECT_THROW(
      keep_shares(1, poll, kIndices, 1, 100,
                  [&](std::int64_t begin, std::int64_t end) { visit(visits, begin, end); }),
      Interrupt);
}

TEST_P(Turns, APollThatThrowsReachesTheOthers) {
  const Poll poll = [] { throw Interrupt("stop"); };
  Visits visits{};
  const auto body = [&](std::int64_t begin, std::int64_t end) { visit(visits, begin, end); };
  EXPECT_THROW(keep_shares(GetParam(), poll, kIndices, 1, 10, body), Interrupt);
}

TEST(Turns, PollsAfterSoManyPieces) {
  int polls = 0;
  const Poll poll = [&polls] { ++polls; };
  take_turns(1, poll, 100, 10, 4, [](std::int64_t, std::int64_t) {});
  EXPECT_EQ(polls, 2);
  polls = 0;
  keep_shares(1, poll, 100, 1, 10, [](std::int64_t, std::int64_t) {});
  EXPECT_EQ(polls, 9);  // none after the last
}

INSTANTIATE_TEST_SUITE_P(Threads, Turns, testing::Values(1, 2, 5));

}  // namespace
}  // namespace siliconprof::cpu
