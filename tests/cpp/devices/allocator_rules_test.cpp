#include "siliconprof/devices/allocator_rules.h"

#include <gtest/gtest.h>

#include "devices/made_device.h"
#include "siliconprof/core/error.h"
#include "siliconprof/devices/model_backend.h"
#include "siliconprof/workloads/builder.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

/// The made device with 3 GiB, of which a GPU may hold 2.
Device limited_device() {
  Device device = made_device();
  device.numbers["memory.capacity_bytes"] = made_number(3.0 * 1024 * kMiB);
  device.numbers["memory.working_set_limit_bytes"] = made_number(2.0 * 1024 * kMiB);
  return device;
}

Framework with(std::initializer_list<std::pair<const char*, double>> numbers) {
  Framework framework = made_framework();
  for (const auto& [key, value] : numbers) {
    framework.numbers[std::string("memory.apple.") + key] = made_number(value);
  }
  return framework;
}

Framework with_heaps() { return with({{"high_watermark_part", 1.5}, {"low_watermark_part", 1.0}}); }

Framework with_cache(double limit_part) {
  return with({{"limit_part", limit_part}, {"collect_part", 0.5}, {"capacity_part", 0.75}});
}

/// x, 2x and 4x, each of so many MiB; 2x is gone when 4x is done.
Trace doubled_twice(std::int64_t mib) {
  const std::int64_t n = mib * kMiB / 4;
  Builder b("made", Dtype::Float32);
  const TensorId x = b.input("x", {n});
  const TensorId y = b.call("add", {n}, {x, x});
  return std::move(b).finish(b.call("add", {n}, {y, y}));
}

TEST(AllocatorRules, NoneWithoutConstantsOrALimitOfTheDevice) {
  EXPECT_FALSE(allocator_rules(limited_device(), made_framework()));
  EXPECT_FALSE(allocator_rules(made_device(), with_heaps()));
}

TEST(AllocatorRules, WatermarksArePartsOfTheWorkingSet) {
  const auto rules = allocator_rules(limited_device(), with_heaps());
  EXPECT_EQ(std::get<HeapRules>(*rules).marks, (Watermarks{2048 * kMiB, 3072 * kMiB}));
  EXPECT_EQ(limit_bytes(*rules), 3072 * kMiB);
}

TEST(AllocatorRules, ACachesLimitIsNoMoreThanAPartOfMemory) {
  const auto by_set = allocator_rules(limited_device(), with_cache(1.0));
  EXPECT_EQ(std::get<CacheRules>(*by_set).limits, (CacheLimits{1024 * kMiB, 2048 * kMiB}));
  const auto by_memory = allocator_rules(limited_device(), with_cache(1.5));
  EXPECT_EQ(std::get<CacheRules>(*by_memory).limits, (CacheLimits{1024 * kMiB, 2304 * kMiB}));
}

TEST(AllocatorRules, OneConstantWithoutTheOthersIsNamed) {
  try {
    allocator_rules(limited_device(), with({{"high_watermark_part", 1.5}}));
    FAIL() << "taken";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("memory.<scope>.low_watermark_part"),
              std::string::npos);
  }
}

TEST(AllocatorRules, APredictionShowsWhatIsReservedAndTheLimit) {
  // 300 MiB thrice, in one heap of 1 GiB.
  const Profile found = Model(limited_device(), with_heaps()).predict(doubled_twice(300));
  EXPECT_EQ(found.peak_memory_bytes, 900 * kMiB);
  ASSERT_EQ(found.counters.size(), 2U);
  EXPECT_EQ(found.counters[0].name, "reserved_memory_bytes");
  EXPECT_EQ(found.counters[0].value, 1024.0 * kMiB);
  EXPECT_EQ(found.counters[1].name, "memory_limit_bytes");
  EXPECT_EQ(found.counters[1].value, 3072.0 * kMiB);
}

TEST(AllocatorRules, AStepThatIsRefusedSaysWhichCallAndOfHowMuch) {
  // 1100 MiB thrice are more than 3072; the third is made by call 1.
  const Model model(limited_device(), with_heaps());
  const Profile found = model.predict(doubled_twice(1100));
  EXPECT_EQ(model.memory(doubled_twice(1100))->replay.refusal,
            (Refusal{1, 1100 * kMiB, 2200 * kMiB}));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes.back().find("refuses call 1 its 1.153 GB"), std::string::npos);
  EXPECT_EQ(found.peak_memory_bytes, 3300 * kMiB);
}

TEST(AllocatorRules, MlxGoesOnBeyondItsLimitAndThePredictionSaysSo) {
  const Profile over = Model(limited_device(), with_cache(1.0)).predict(doubled_twice(700));
  EXPECT_EQ(over.peak_memory_bytes, 2100 * kMiB);
  ASSERT_FALSE(over.notes.empty());
  EXPECT_NE(over.notes.back().find("limit of 2.147 GB"), std::string::npos);
  EXPECT_TRUE(Model(limited_device(), with_cache(1.0)).predict(doubled_twice(600)).notes.empty());
}

}  // namespace
}  // namespace siliconprof
