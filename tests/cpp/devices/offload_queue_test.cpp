#include "siliconprof/devices/offload_queue.h"

#include <gtest/gtest.h>

#include <numeric>

namespace siliconprof {
namespace {

constexpr std::int32_t kNone = -1;

PlacedCall on_device() { return {}; }
PlacedCall to_host(std::int32_t device) {
  return {Place::ToHost, false, true, {device, kNone, kNone, kNone, kNone}};
}
PlacedCall update(std::int32_t sent) {
  return {Place::Host, false, false, {kNone, sent, kNone, kNone, kNone}};
}
PlacedCall fetch(std::int32_t updated) {
  return {Place::ToDevice, false, true, {kNone, kNone, kNone, updated, kNone}};
}
PlacedCall in_order(PlacedCall transfer) {
  transfer.is_early = false;
  return transfer;
}
PlacedCall late_update() { return {Place::Beside}; }
PlacedCall late_fetch(std::int32_t read, std::int32_t updated) {
  return {Place::ToDevice, false, false, {read, kNone, kNone, kNone, updated}};
}

// The pass of two kernels, whose gradients go while the next runs; two updates.
const std::vector<PlacedCall> kOverlapped{on_device(), to_host(0), on_device(), to_host(2),
                                          update(1),   fetch(4),   update(3),   fetch(6)};
// The same, one thing after the other.
const std::vector<PlacedCall> kSerial{on_device(),          on_device(),       in_order(to_host(0)),
                                      in_order(to_host(1)), update(2),         update(3),
                                      in_order(fetch(4)),   in_order(fetch(5))};

OffloadQueue walked(const std::vector<PlacedCall>& calls, const std::vector<double>& seconds,
                    const HostPace& pace = {}) {
  OffloadQueue queue(calls, pace);
  queue.run_all({}, [&](std::size_t i, bool) { return std::pair{0.0, seconds[i]}; });
  return queue;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Kernels end at 10 and 20; transfers at 14 and 24; the first update, ready at 14, waits for
// nothing else: 14 to 20. The second runs from 24 to 30, its fetch to 33.
TEST(OffloadQueue, TransfersAndUpdatesOverlap) {
  const OffloadQueue queue = walked(kOverlapped, {10, 4, 10, 4, 6, 3, 6, 3});
  EXPECT_DOUBLE_EQ(queue.end_s(), 33.0);
}

TEST(OffloadQueue, OneAfterTheOtherTheyAddUp) {
  // But for the second transfer, which the first update doesn't wait for: 20, 28, 36, 42.
  EXPECT_DOUBLE_EQ(walked(kSerial, {10, 10, 4, 4, 6, 6, 3, 3}).end_s(), 42.0);
}

TEST(OffloadQueue, TheTwoWaysOfTheLinkDoNotWaitForEachOther) {
  const std::vector<PlacedCall> calls{on_device(), to_host(0), {Place::ToDevice, false, true}};
  EXPECT_DOUBLE_EQ(walked(calls, {1, 5, 5}).end_s(), 6.0);
}

TEST(OffloadQueue, AnUpdateHoldsUpWhatItsThreadIssues) {
  const std::vector<PlacedCall> calls{{Place::Host}, on_device()};
  EXPECT_DOUBLE_EQ(walked(calls, {5, 1}).end_s(), 6.0);
}

TEST(OffloadQueue, OneBesideDoesNot) {
  const std::vector<PlacedCall> calls{late_update(), on_device()};
  EXPECT_DOUBLE_EQ(walked(calls, {5, 1}).end_s(), 5.0);
}

// The pass takes until 10, the update until 12: its fetch is issued then.
TEST(OffloadQueue, WhatWasUpdatedBesideIsFetchedAfterIt) {
  const std::vector<PlacedCall> calls{late_update(), on_device(), late_fetch(1, 0)};
  EXPECT_DOUBLE_EQ(walked(calls, {12, 10, 3}).end_s(), 15.0);
}

// Two seconds of issuing take three and cost the update one.
TEST(OffloadQueue, ThreadsBesideEachOtherSlowEachOther) {
  const std::vector<PlacedCall> calls{late_update(), on_device()};
  OffloadQueue queue(calls, {.beside_part = 0.5});
  queue.run(0.0, 10.0);
  queue.run(2.0, 4.0);  // 3 to 7
  EXPECT_DOUBLE_EQ(queue.end_s(), 11.0);
}

TEST(OffloadQueue, WhatArrivesHoldsUpAnUpdateBeside) {
  const std::vector<PlacedCall> calls{late_update(), on_device(), to_host(1)};
  EXPECT_DOUBLE_EQ(walked(calls, {10, 1, 4}, {.arriving_part = 0.25}).end_s(), 11.0);
}

TEST(OffloadQueue, APageableTransferIsWaitedFor) {
  std::vector<PlacedCall> calls{on_device(), to_host(0), on_device()};
  EXPECT_DOUBLE_EQ(walked(calls, {1, 5, 1}).end_s(), 6.0);
  calls[1].pageable = true;
  EXPECT_DOUBLE_EQ(walked(calls, {1, 5, 1}).end_s(), 7.0);
}

TEST(OffloadQueue, SharesSumToTheStepAndFavourTheDevice) {
  const OffloadQueue queue = walked(kOverlapped, {10, 4, 10, 4, 6, 3, 6, 3});
  const std::vector<double> shares = queue.shares_s();
  EXPECT_DOUBLE_EQ(sum(shares), queue.end_s());
  // The device until 20, the first fetch until 23, the second gradient until 24, its update until
  // 30, its fetch until 33.
  EXPECT_EQ(shares, (std::vector<double>{10, 0, 10, 1, 0, 3, 6, 3}));
}

TEST(OffloadQueue, WhatNobodyWorksOnIsTheNextTransfersBeingIssued) {
  const std::vector<PlacedCall> calls{on_device(), to_host(0)};
  OffloadQueue queue(calls, {});
  queue.run(0.0, 1.0);
  queue.run(5.0, 2.0);  // issued at 5, ends at 7
  EXPECT_EQ(queue.shares_s(), (std::vector<double>{1, 6}));
}

TEST(OffloadQueue, AWaitHoldsUpTheNextLaunch) {
  const std::vector<PlacedCall> calls{on_device(), on_device()};
  OffloadQueue queue(calls, {});
  const std::vector<std::int32_t> waits{1};
  queue.run_all(waits, [](std::size_t, bool) { return std::pair{1.0, 10.0}; });
  EXPECT_DOUBLE_EQ(queue.end_s(), 22.0);
}

}  // namespace
}  // namespace siliconprof
