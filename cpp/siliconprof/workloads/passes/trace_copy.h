#pragma once

// How a pass rewrites a trace: tensor by tensor and call by call into a new one, with what stands
// for what. Dependencies of a tensor (a view's base) come along; what is never asked for stays out.

#include <span>
#include <string>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

class TraceCopy {
 public:
  /// Begins with the parameters, optimizer states and inputs of `from`, in its order. `from` must
  /// outlive this.
  explicit TraceCopy(const Trace& from);

  Trace& made() { return made_; }
  const Trace& from() const { return from_; }

  /// What stands for a tensor of `from`: its copy, made on first demand.
  TensorId id(TensorId old);
  /// From now on `now` stands for `old`, and views of it for views of `old` that aren't copied yet.
  void replace(TensorId old, TensorId now) { ids_[std::size_t(old)] = now; }
  /// From now on new copies stand for these tensors, and for views of them.
  void forget(std::span<const TensorId> owners);

  /// The call with the tensors that stand for its own, or for its inputs alone.
  OpCall mapped(const OpCall& call);
  OpCall mapped_inputs(const OpCall& call);
  /// Appends it.
  void append(const OpCall& call) { made_.append(mapped(call)); }
  /// Appends it once more, in the backward pass, writing new copies of the owners `anew` (which
  /// were forgotten); other outputs go into tensors that nobody reads.
  void append_again(const OpCall& call, std::span<const TensorId> anew, Again again = Again::No);
  /// Begins the section of call number `index` of `from`, where it isn't the one that is open.
  void enter_section_of(std::size_t index);

  /// The new trace with label, results and gradients of `from`.
  Trace finish();

 private:
  const Trace& from_;
  Trace made_;
  std::vector<TensorId> ids_;
  std::vector<TensorId> next_of_owner_;  // each owner's views, one after the other
  std::vector<std::int32_t> sections_;
};

/// Appends `op` on existing tensors; the outputs are made, named after `name`. Returns the first.
/// `inside`: OpCall::inside.
TensorId append_call(Trace& trace, std::string_view op, std::initializer_list<std::int64_t> dims,
                     Dtype dtype, Phase phase, std::initializer_list<double> attributes,
                     std::initializer_list<TensorId> inputs, const std::string& name, Role role,
                     bool joins_launch = false, std::uint16_t inside = 0);

/// Appends `op`, whose first outputs are the tensors `updated`, in place.
void append_update(Trace& trace, std::string_view op, std::initializer_list<std::int64_t> dims,
                   Dtype dtype, Phase phase, std::initializer_list<double> attributes,
                   std::initializer_list<TensorId> inputs, std::initializer_list<TensorId> updated,
                   bool joins_launch = false);

/// Number of the last call that writes each owner; -1 where none does.
std::vector<std::int32_t> last_writes(const Trace& trace);

/// How many inputs of calls each owner is, and whatever reads it after the trace.
std::vector<std::int32_t> readers(const Trace& trace);

}  // namespace siliconprof
