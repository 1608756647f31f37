#pragma once

// The steps of one workload at every batch and length: the same calls, of sizes that grow with
// both. Read off a few of them, so that a sweep builds seven traces and not ten thousand.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "siliconprof/devices/size_polynomial.h"
#include "siliconprof/devices/step_summary.h"

namespace siliconprof {

class StepFamily {
 public:
  /// Builds the step of one size.
  using Build = std::function<Trace(const StepSize&)>;

  /// Of all sizes from `least` to `most`. Builds the steps of SizeProbes, and one more, which must
  /// be what the others say. Throws ArgumentError where it isn't: where the calls depend on the
  /// size, or a dimension is no SizePolynomial.
  StepFamily(const Build& build, const StepSize& least, const StepSize& most);

  /// The summary of the step's trace, but for attributes that depend on the size, which no cost
  /// does.
  StepSummary at(const StepSize& size) const;

 private:
  using Dims = std::vector<std::pair<std::size_t, SizePolynomial>>;  // those that vary, by place
  struct Kind {
    CallKind at_least;
    Dims dims;
  };
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
  static std::int64_t peak_bytes(const Changes& changes, const std::vector<std::int64_t>& bytes);
  void read_calls(const SizeProbes& probes, const std::vector<Trace>& traces);
  void read_memory(const SizeProbes& probes, const std::vector<Trace>& traces);
  std::vector<std::int64_t> block_bytes(const StepSize& size) const;

  std::vector<Kind> kinds_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> begins_;
  std::array<std::vector<std::int32_t>, 2> waits_;
  std::vector<PlacedCall> placed_;
  std::vector<Block> blocks_;
  Changes changes_;         // of the tensors on the device
  Changes changes_shared_;  // and of those on the host besides; empty where none is
};

}  // namespace siliconprof
