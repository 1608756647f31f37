#pragma once

// The memory of one workload's steps at every batch and length.

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "siliconprof/devices/allocator_rules.h"
#include "siliconprof/devices/probe_traces.h"
#include "siliconprof/devices/step_summary.h"

namespace siliconprof {

class MemoryFamily {
 public:
  MemoryFamily() = default;
  /// Throws ArgumentError where a dimension of a tensor is no SizePolynomial.
  explicit MemoryFamily(const ProbeTraces& steps);

  /// What tensors of each shape take in a step of a size; to be handed to the functions below.
  using BlockBytes = std::vector<std::int64_t>;
  BlockBytes block_bytes(const StepSize& size) const;

  /// Most that the tensors on the device take at once, and those on the host besides.
  std::int64_t peak_bytes(const BlockBytes& bytes) const { return peak(changes_, bytes); }
  std::int64_t peak_bytes_shared(const BlockBytes& bytes) const;
  /// What the tensors on the host take during each call; empty where there are none.
  std::vector<std::int64_t> host_bytes(const BlockBytes& bytes) const;

  /// What a framework asks such an allocator for in a step of any size, and bytes of each request
  /// in the one that `step` is.
  const Requests& requests(const AllocatorRules& rules) const { return requests_[rules.index()]; }
  std::vector<std::int64_t> request_bytes(const AllocatorRules& rules, const BlockBytes& bytes,
                                          const StepSummary& step) const;

  /// Whether that is what the built step of this size takes.
  bool describes(const Trace& built, const StepSize& size, const StepSummary& step) const;

 private:
  // Tensors of one shape.
  struct Block {
    std::int64_t constant = 1;  // bytes of an element times the dimensions that don't vary
    std::vector<SizePolynomial> factors;
  };
  // How many tensors of a block are born at a call, less those that died after the one before.
  struct Change {
    std::int32_t call;
    std::int32_t block;
    std::int32_t count;
  };
  using Changes = std::vector<Change>;  // in order of their calls
  using Counts = std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t>;  // by call, block

  static Changes changes(const Counts& counts);
  static std::int64_t peak(const Changes& changes, const BlockBytes& bytes);
  void read_blocks(const ProbeTraces& steps);
  void read_changes(const Trace& trace);

  std::int32_t calls_ = 0;
  std::vector<Block> blocks_;
  std::vector<std::int32_t> block_of_;  // by tensor
  Changes changes_;                     // of the tensors on the device
  Changes changes_host_;                // of those on the host, and of both; empty where none is
  Changes changes_shared_;
  std::array<Requests, std::variant_size_v<AllocatorRules>> requests_;  // by kind of allocator
};

}  // namespace siliconprof
