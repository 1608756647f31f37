#include "siliconprof/kernels/cpu/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

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
  std::atomic<bool> is_long{false};
  const Poll none;
  keep_shares(GetParam(), none, kIndices, 4, 100, [&](std::int64_t begin, std::int64_t end) {
    if (end - begin > 100) is_long = true;
    visit(visits, begin, end);
  });
  EXPECT_EQ(visited(visits), kIndices);
  EXPECT_FALSE(is_long);
}

TEST(Turns, WhatPollThrowsEndsTheWorkAndIsThrownOn) {
  Visits visits{};
  const Poll poll = [] { throw Interrupt("stop"); };
  const auto body = [&](std::int64_t begin, std::int64_t end) { visit(visits, begin, end); };
  EXPECT_THROW(take_turns(1, poll, kIndices, 10, 2, body), Interrupt);
  EXPECT_EQ(visited(visits), 20);
  EXPECT_THROW(keep_shares(1, poll, kIndices, 1, 100, body), Interrupt);
}

/// Whether a poll that throws leaves pieces out on the other thread too, which waits for it.
template <class Share>
bool leaves_pieces_out(const Share& share) {
  Visits visits{};
  std::atomic<bool> thrown{false};
  const Poll poll = [&thrown] {
    thrown = true;
    throw Interrupt("stop");
  };
  const auto caller = std::this_thread::get_id();
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    visit(visits, begin, end);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    if (std::this_thread::get_id() == caller) return;
    while (!thrown && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    // What was thrown is noted a moment later.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  EXPECT_THROW(share(poll, body), Interrupt);
  return visited(visits) < kIndices / 2;
}

TEST(Turns, APollThatThrowsStopsTheOthers) {
  EXPECT_TRUE(leaves_pieces_out(
      [](const Poll& poll, const auto& body) { take_turns(2, poll, kIndices, 1, 1, body); }));
  EXPECT_TRUE(leaves_pieces_out(
      [](const Poll& poll, const auto& body) { keep_shares(2, poll, kIndices, 1, 1, body); }));
}

TEST(Turns, ABodyThatThrowsStopsTheOthersAndIsThrownOn) {
  const Poll none;
  for (const int threads : {1, 2}) {
    std::atomic<std::int64_t> pieces{0};
    const auto body = [&](std::int64_t, std::int64_t) {
      if (++pieces == 3) throw std::bad_alloc();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    EXPECT_THROW(take_turns(threads, none, kIndices, 1, 1, body), std::bad_alloc);
    EXPECT_LT(pieces, 100);
    pieces = 0;
    EXPECT_THROW(keep_shares(threads, none, kIndices, 1, 1, body), std::bad_alloc);
    EXPECT_LT(pieces, 100);
  }
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
