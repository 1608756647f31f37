#pragma once

// The steps of one workload at every batch and length: the same calls, of sizes that grow with
// both. Read off a few of them, so that a sweep builds seven traces and not ten thousand.

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "siliconprof/devices/memory_family.h"
#include "siliconprof/devices/probe_traces.h"
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
  const MemoryFamily& memory() const { return memory_; }

 private:
  using Dims = std::vector<std::pair<std::size_t, SizePolynomial>>;  // those that vary, by place
  struct Kind {
    CallKind at_least;
    Dims dims;
  };

  void read_calls(const ProbeTraces& steps);
  bool is_what_was_built(const StepSize& size, const Trace& built) const;

  std::vector<Kind> kinds_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> begins_;
  std::array<std::vector<std::int32_t>, 2> waits_;
  std::vector<PlacedCall> placed_;
  MemoryFamily memory_;
};

}  // namespace siliconprof
