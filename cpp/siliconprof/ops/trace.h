#pragma once

// A program: a flat list of calls and the table of its tensors. No graph type: first write and
// last use of each id say all that liveness needs.

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "siliconprof/ops/memory_timeline.h"
#include "siliconprof/ops/op.h"
#include "siliconprof/ops/tensor_info.h"

namespace siliconprof {

/// A memory timeline that is computed on first demand, from any thread. Under a lock, as Apple's
/// standard library has no atomic shared_ptr.
class RememberedTimeline {
 public:
  RememberedTimeline() = default;
  RememberedTimeline(const RememberedTimeline& other) : timeline_(other.get()) {}
  RememberedTimeline& operator=(const RememberedTimeline& other) {
    if (this != &other) set(other.get());
    return *this;
  }
  /// Null until it is set.
  std::shared_ptr<const MemoryTimeline> get() const {
    const std::lock_guard lock(changing_);
    return timeline_;
  }
  void set(std::shared_ptr<const MemoryTimeline> timeline) const {
    const std::lock_guard lock(changing_);
    timeline_.swap(timeline);
  }

 private:
  mutable std::mutex changing_;
  mutable std::shared_ptr<const MemoryTimeline> timeline_;
};

/// A named stretch of calls: "h.3.attention". The part before the last dot is its block, the unit
/// that checkpointing computes again; a name without a dot belongs to none.
struct Section {
  std::int32_t first_call;
  std::string name;

  std::string_view block() const {
    const std::size_t dot = name.rfind('.');
    return dot == std::string::npos ? std::string_view() : std::string_view(name).substr(0, dot);
  }
  bool operator==(const Section&) const = default;
};

struct ParameterGradient {
  TensorId parameter;
  TensorId gradient;

  bool operator==(const ParameterGradient&) const = default;
};

class Trace {
 public:
  explicit Trace(std::string label = "") : label_(std::move(label)) {}

  /// Throws ShapeError when the tensor's bytes overflow.
  TensorId add_tensor(TensorInfo info);
  /// The same memory in another shape, or a part of it from the element `offset` on: a reshape, a
  /// slice of the first axis. Costs nothing. Throws ShapeError for one that reaches past the end.
  TensorId add_view(TensorId id, const Shape& shape, std::int64_t offset = 0);
  /// The tensor that owns a tensor's memory: itself, or its base.
  TensorId owner(TensorId id) const;
  /// Calls that a trace may have: with their tensors about 2 GB.
  static constexpr std::size_t kMostCalls = std::size_t{1} << 20;
  /// Appends a call whose inputs and outputs are set. Throws ShapeError for one too many and when a
  /// tensor's shape is not the one that the op needs there, DtypeError when dtypes differ,
  /// ArgumentError when an output overlaps another tensor of the call that it may not, naming both.
  void append(const OpCall& call);
  /// The calls appended from now on belong to this section.
  void begin_section(std::string section);

  const std::string& label() const { return label_; }
  /// What the trace does, whichever kernels it is made of: "gpt2-small batch=2 seq=64 ... adamw".
  /// Empty where only its calls say.
  const std::string& work() const { return work_; }
  void set_work(std::string work) { work_ = std::move(work); }
  const std::vector<OpCall>& calls() const { return calls_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  /// Sum over the calls.
  const Cost& cost() const { return cost_; }
  /// What the trace is run for, in the order that evaluation returns it; empty: every tensor that
  /// no call reads after its last write.
  const std::vector<TensorId>& results() const { return results_; }
  void set_results(std::vector<TensorId> ids) { results_ = std::move(ids); }
  /// In order of first_call; empty where none was begun.
  const std::vector<Section>& sections() const { return sections_; }
  /// The section of each call, as an index into sections(); -1 before the first.
  std::vector<std::int32_t> section_of_calls() const;
  /// Which tensor is the gradient of which parameter, in order of the parameters.
  const std::vector<ParameterGradient>& gradients() const { return gradients_; }
  void set_gradients(std::vector<ParameterGradient> gradients) {
    gradients_ = std::move(gradients);
  }
  void rename(TensorId id, std::string name) {
    tensors_.at(std::size_t(id)).name = std::move(name);
  }
  /// The tensor isn't trained.
  void freeze(TensorId id) { tensors_.at(std::size_t(id)).frozen = true; }
  /// The tensor is in the host's memory; to be said before views of it are made.
  void move_to_host(TensorId id) { tensors_.at(std::size_t(id)).on_host = true; }
  /// Elements of all tensors whose role is parameter, each counted once, views not.
  std::int64_t parameters() const;
  /// Those of them that are trained.
  std::int64_t trained_parameters() const;
  /// Live bytes of the device call by call (ops/liveness.h); computed once, then remembered.
  MemoryTimeline memory() const;

  bool operator==(const Trace& other) const;

 private:
  void check_overlaps(const OpCall& call) const;

  std::string label_;
  std::string work_;
  std::vector<OpCall> calls_;
  std::vector<TensorInfo> tensors_;
  std::vector<TensorId> results_;
  std::vector<Section> sections_;
  std::vector<ParameterGradient> gradients_;
  Cost cost_;
  RememberedTimeline memory_;
};

}  // namespace siliconprof
