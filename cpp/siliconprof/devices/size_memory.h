#pragma once

// What steps of one size take of the memory of many devices, each allocator asked once.

#include <cstdint>
#include <vector>

#include "siliconprof/devices/rates.h"
#include "siliconprof/devices/step_family.h"

namespace siliconprof {

/// Devices differ in how much their allocators may hold, and most steps are far within that or far
/// beyond, which is the same for all. Steps of transformers ask for the same in float32 and TF32.
class SizeMemory {
 public:
  explicit SizeMemory(const StepSize& size) : size_(size) {}

  /// From here on of this family's step, which is the family's at the size; both outlive it.
  void set_step(const StepFamily& family, const StepSummary& step);

  /// The peak of framework_memory, or of the tensors where the framework has no known allocator.
  std::int64_t peak_bytes(const Rates& rates);

 private:
  // Under such an allocator without a limit.
  struct Unlimited {
    AllocatorRules rules;
    const Requests* requests;
    std::vector<std::int64_t> bytes;  // of each
    Replay replay;
    std::int64_t most_asked_bytes;
  };
  // Under limits that matter.
  struct Limited {
    AllocatorRules rules;
    std::size_t place;  // in unlimited_
    Replay replay;
  };

  std::size_t unlimited(const AllocatorRules& rules);
  const Replay& replayed(const AllocatorRules& rules);

  StepSize size_;
  const MemoryFamily* memory_ = nullptr;
  const StepSummary* step_ = nullptr;
  MemoryFamily::BlockBytes bytes_;
  std::vector<std::int64_t> host_bytes_;
  std::vector<Unlimited> unlimited_;
  std::vector<Limited> limited_;
  std::vector<std::size_t> places_;  // in unlimited_, of what the step was asked for
};

}  // namespace siliconprof
