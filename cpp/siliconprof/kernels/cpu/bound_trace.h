#pragma once

// A trace with memory and kernels behind it, ready to run call by call.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "siliconprof/kernels/cpu/engine.h"
#include "siliconprof/ops/memory_plan.h"
#include "siliconprof/ops/trace.h"

namespace siliconprof::cpu {

/// Owns the memory of every tensor that isn't given from outside; those that never live at once
/// share it. Keeps a pointer to the trace.
class BoundTrace {
 public:
  /// `given[i]` stands for the i-th tensor of role input, contiguous and of its shape and dtype;
  /// with none given, inputs and parameters are made and filled with uniform numbers in [-1, 1).
  /// Polls while it fills. Throws ShapeError, DtypeError, EngineUnavailable, ArgumentError.
  BoundTrace(const Trace& trace, const Engine& engine, int threads,
             std::span<const TensorView> given, const Poll& poll = {});

  void run(std::size_t call, const Poll& poll) const;

  /// From now on the call runs with this value: the step of an optimizer, the seed of a dropout.
  /// The trace stays as it is. Throws ArgumentError for a call that isn't there or a value that the
  /// op refuses, UnknownNameError, ShapeError for a value that would change the shape of a tensor.
  void set_attribute(std::size_t call, std::string_view name, double value);

  const TensorView& view(TensorId id) const { return views_[std::size_t(id)]; }

 private:
  struct Call {
    const Kernel* kernel;
    OpCall call;
    std::vector<TensorView> inputs;
    std::vector<TensorView> outputs;
    bool others_read_update = false;
  };

  void take_memory(std::span<const TensorView> given, const Poll& poll);
  void find_shared_updates();

  const Trace* trace_;
  int threads_;
  Tensor arena_;  // of tensors that share memory (ops/memory_plan.h)
  Tensor kept_;   // of those that live throughout, one behind the other
  std::vector<TensorView> views_;
  std::vector<Call> calls_;
};

/// Where tensors lie in its two blocks of memory, with nothing given: those that share it, and
/// those that live throughout.
std::array<MemoryPlan, 2> block_plans(const Trace& trace);
/// Bytes of the two.
std::array<std::int64_t, 2> block_bytes(const Trace& trace);

/// True for a tensor that the caller may give: of role input, with memory of its own, no constant.
bool is_given(const TensorInfo& info);
/// How many of them the trace has.
std::size_t input_count(const Trace& trace);

/// The trace's results: those that it names, or else the tensors that no call reads after their
/// last write, in order of id.
std::vector<TensorId> result_ids(const Trace& trace);

}  // namespace siliconprof::cpu
