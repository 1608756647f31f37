#include "siliconprof/devices/memory_family.h"

#include <gtest/gtest.h>

#include "siliconprof/devices/step_family.h"
#include "siliconprof/ops/liveness.h"
#include "siliconprof/workloads/training_step.h"

namespace siliconprof {
namespace {

const std::array<AllocatorRules, 3> kRules{SegmentRules{8'519'680}, HeapRules{}, CacheRules{}};

void expect_family(TrainingConfig config, const char* length, const StepSize& most,
                   const std::vector<StepSize>& sizes) {
  const auto build = [&](const StepSize& size) {
    config.sizes["batch"] = size.batch;
    if (length != nullptr) config.sizes[length] = size.length;
    return training_step(config);
  };
  const StepFamily family(build, {1, length == nullptr ? 1 : 8}, most);
  const MemoryFamily& memory = family.memory();
  for (const StepSize& size : sizes) {
    const Trace built = build(size);
    const auto bytes = memory.block_bytes(size);
    EXPECT_EQ(memory.peak_bytes(bytes), built.memory().peak_bytes());
    const MemoryTimeline host = memory_timeline(built, MemoryOf::Host);
    const std::vector<std::int64_t> on_host = memory.host_bytes(bytes);
    for (std::size_t call = 0; call < on_host.size(); ++call) {
      ASSERT_EQ(on_host[call], host.points()[call].live_bytes()) << call;
    }
    EXPECT_EQ(on_host.empty(), !keeps_on_host(built));
    for (const AllocatorRules& rules : kRules) {
      EXPECT_EQ(memory.requests(rules), requests(built, rules));
      EXPECT_EQ(memory.request_bytes(rules, bytes, family.at(size)),
                bytes_of(requests(built, rules), built, rules));
    }
  }
}

TEST(MemoryFamily, AsksForWhatEachOfItsStepsAsksFor) {
  expect_family({.workload = "gpt2-small", .sizes = {{"layers", 1}}, .dropout = 0.1}, "seq",
                {8, 64}, {{1, 8}, {3, 50}, {8, 63}});
}

TEST(MemoryFamily, KnowsWhatIsOnTheHostDuringEachCall) {
  expect_family(
      {.workload = "gpt2-small", .sizes = {{"layers", 1}}, .offload = OffloadMode::Overlapped},
      "seq", {8, 64}, {{3, 50}});
}

TEST(MemoryFamily, ConvolutionsTakeTheWorkspacesOfTheirSize) {
  expect_family({.workload = "simclr-resnet18", .sizes = {{"image", 32}}}, nullptr, {256, 1},
                {{2, 1}, {100, 1}, {250, 1}});
}

}  // namespace
}  // namespace siliconprof
