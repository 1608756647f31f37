#include "siliconprof/devices/size_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "siliconprof/devices/framework_memory.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Trace step(const StepSize& size, Precision precision = Precision::Fp32,
           OffloadMode offload = OffloadMode::None) {
  return training_step({.workload = "gpt2-small",
                        .sizes = {{"layers", 1}, {"batch", size.batch}, {"seq", size.length}},
                        .precision = precision,
                        .offload = offload});
}

Rates with(std::optional<AllocatorRules> rules) {
  Rates rates;
  rates.allocator = rules;
  return rates;
}

TEST(SizeMemory, IsThatOfEachAllocatorWithItsOwnLimit) {
  const StepFamily family([](const StepSize& size) { return step(size); }, {1, 8}, {8, 64});
  const StepSize size{5, 33};
  const StepSummary summary = family.at(size);
  SizeMemory memory(size);
  memory.set_step(family, summary);
  const Trace built = step(size);
  // From far below what the step takes (about 1.1 GiB) to far beyond it.
  for (const std::int64_t limit : {300, 900, 1000, 1100, 1200, 1300, 1500, 9000}) {
    for (const AllocatorRules& rules :
         {AllocatorRules(HeapRules{{limit * kMiB, limit * kMiB * 5 / 4}}),
          AllocatorRules(CacheRules{{limit * kMiB, limit * kMiB * 3 / 2}}),
          AllocatorRules(SegmentRules{limit * 512})}) {
      const std::int64_t expected = replay(built, rules).peak.allocated_bytes;
      EXPECT_EQ(memory.peak_bytes(with(rules)), expected) << limit << ' ' << rules.index();
      EXPECT_EQ(memory.peak_bytes(with(rules)), expected);
    }
  }
  EXPECT_EQ(memory.peak_bytes(with(std::nullopt)), built.memory().peak_bytes());
}

TEST(SizeMemory, IsExactWhereALimitBeginsToMatter) {
  const StepFamily family([](const StepSize& size) { return step(size); }, {1, 8}, {8, 64});
  const StepSize size{3, 29};
  const StepSummary summary = family.at(size);
  const Trace built = step(size);
  constexpr std::int64_t kFar = std::int64_t{1} << 50;
  const AllocatorRules heaps = HeapRules{{kFar, kFar}};
  const Requests asked = requests(built, heaps);
  const auto bytes = bytes_of(asked, built, heaps);
  const std::int64_t largest = *std::max_element(bytes.begin(), bytes.end());
  const std::int64_t of_heaps = replay(built, heaps).most_reserved_bytes;
  const std::int64_t of_cache = replay(built, CacheRules{{kFar, kFar}}).most_reserved_bytes;
  for (const std::int64_t off : {-kMiB, std::int64_t{-256}, std::int64_t{-255}, std::int64_t{-1},
                                 std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, kMiB}) {
    SizeMemory memory(size);
    memory.set_step(family, summary);
    for (const AllocatorRules& rules : {AllocatorRules(HeapRules{{of_heaps + off, kFar}}),
                                        AllocatorRules(HeapRules{{kFar, of_heaps + largest + off}}),
                                        AllocatorRules(CacheRules{{of_cache + off, kFar}}),
                                        AllocatorRules(CacheRules{{kFar, of_cache + off}})}) {
      EXPECT_EQ(memory.peak_bytes(with(rules)), replay(built, rules).peak.allocated_bytes) << off;
    }
  }
}

TEST(SizeMemory, GoesFromOneFamilysStepToAnothers) {
  const StepSize size{2, 16};
  const AllocatorRules rules = SegmentRules{1000};
  const std::array precisions{Precision::Fp32, Precision::Tf32, Precision::AmpFp16};
  std::vector<StepFamily> families;
  for (const Precision precision : precisions) {
    families.emplace_back([&](const StepSize& some) { return step(some, precision); }, size, size);
  }
  SizeMemory memory(size);
  std::vector<std::int64_t> peaks;
  for (const std::size_t i : {0, 1, 2, 0}) {
    const StepSummary summary = families[i].at(size);
    memory.set_step(families[i], summary);
    peaks.push_back(memory.peak_bytes(with(rules)));
    EXPECT_EQ(peaks.back(), replay(step(size, precisions[i]), rules).peak.allocated_bytes);
  }
  EXPECT_EQ(peaks[0], peaks[1]);
  EXPECT_NE(peaks[0], peaks[2]);
}

TEST(SizeMemory, AddsWhatIsOnTheHostWhereTheMemoryIsShared) {
  const auto build = [](const StepSize& size) {
    return step(size, Precision::Fp32, OffloadMode::Overlapped);
  };
  const StepSize size{2, 16};
  const StepFamily family(build, size, size);
  const StepSummary summary = family.at(size);
  SizeMemory memory(size);
  memory.set_step(family, summary);
  Rates shared = with(CacheRules{{1 << 30, 1 << 30}});
  shared.is_own_host = true;
  const FrameworkMemory expected = framework_memory(build(size), *shared.allocator, true);
  EXPECT_EQ(memory.peak_bytes(shared), expected.timeline.peak_bytes());
  EXPECT_LT(memory.peak_bytes(with(shared.allocator)), expected.timeline.peak_bytes());
}

}  // namespace
}  // namespace siliconprof
