#include "siliconprof/devices/offload_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "devices/offloaded_step.h"

namespace siliconprof {
namespace {

struct Counts {
  std::array<int, kPlaces> by_place{};
  int early = 0;
  int pageable = 0;
};

Counts count(OffloadMode mode) {
  Counts found;
  for (const PlacedCall& call : place_calls(offloaded_step(mode))) {
    ++found.by_place[static_cast<std::size_t>(call.place)];
    found.early += int(call.is_early);
    found.pageable += int(call.pageable);
  }
  return found;
}

int at(const Counts& counts, Place place) {
  return counts.by_place[static_cast<std::size_t>(place)];
}

TEST(OffloadPlan, AStepOnTheDeviceAloneHasNone) {
  EXPECT_TRUE(place_calls(offloaded_step(OffloadMode::None)).empty());
}

// 16 parameters: two embeddings, twelve of the block, two of the last norm.
TEST(OffloadPlan, EachParameterIsSentUpdatedAndFetched) {
  for (const OffloadMode mode :
       {OffloadMode::Pageable, OffloadMode::Serial, OffloadMode::Overlapped}) {
    const Counts found = count(mode);
    EXPECT_EQ(at(found, Place::ToHost), 16);
    EXPECT_EQ(at(found, Place::Host), 16);
    EXPECT_EQ(at(found, Place::ToDevice), 16);
    EXPECT_EQ(at(found, Place::Beside), 0);
  }
}

TEST(OffloadPlan, ADelayedUpdateRunsBesideAndBuffersChangePlacesOnTheHost) {
  const Counts found = count(OffloadMode::Delayed);
  EXPECT_EQ(at(found, Place::Beside), 16);
  EXPECT_EQ(at(found, Place::Host), 16);
  EXPECT_EQ(at(found, Place::ToDevice), 16);
}

TEST(OffloadPlan, WhatOverlapsIsEarlyButForTheLast) {
  EXPECT_EQ(count(OffloadMode::Serial).early, 0);
  EXPECT_GE(count(OffloadMode::Overlapped).early, 16 + 15 - 2);
  EXPECT_EQ(count(OffloadMode::Pageable).pageable, 32);
  EXPECT_EQ(count(OffloadMode::Serial).pageable, 0);
}

TEST(OffloadPlan, AnUpdateWaitsForItsGradientAndAFetchForItsUpdate) {
  const Trace trace = offloaded_step(OffloadMode::Overlapped);
  const std::vector<PlacedCall> placed = place_calls(trace);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto after = [&](Place place) {
      return placed[i].after[static_cast<std::size_t>(place)];
    };
    if (placed[i].place == Place::Host) {
      const OpCall& sent = trace.calls()[std::size_t(after(Place::ToHost))];
      EXPECT_EQ(trace.owner(sent.outputs[0]), trace.owner(trace.calls()[i].inputs[1]));
    }
    if (placed[i].place == Place::ToDevice) {
      EXPECT_EQ(after(Place::Host), std::int32_t(i) - 1);
    }
    if (placed[i].place == Place::ToHost) {
      const OpCall& made = trace.calls()[std::size_t(after(Place::Device))];
      const TensorId gradient = trace.owner(trace.calls()[i].inputs[0]);
      EXPECT_TRUE(std::any_of(made.outputs.begin(), made.outputs.end(), [&](TensorId id) {
        return id != kNoTensor && trace.owner(id) == gradient;
      }));
    }
  }
}

// The pass of this step reads it to the end.
TEST(OffloadPlan, AParameterReturnsOnceNobodyReadsTheOldOne) {
  const Trace trace = offloaded_step(OffloadMode::Delayed);
  const std::vector<PlacedCall> placed = place_calls(trace);
  const auto fetch = std::find_if(placed.begin(), placed.end(), [](const PlacedCall& call) {
    return call.place == Place::ToDevice;
  });
  ASSERT_NE(fetch, placed.end());
  EXPECT_GE(fetch->after[static_cast<std::size_t>(Place::Device)], 0);
  EXPECT_GE(fetch->after[static_cast<std::size_t>(Place::Beside)], 0);
}

}  // namespace
}  // namespace siliconprof
