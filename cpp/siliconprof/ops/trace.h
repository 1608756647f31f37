#pragma once

// A program: a flat list of calls and the table of its tensors. No graph type: first write and
// last use of each id say all that liveness needs.

#include <atomic>
#include <string>
#include <vector>

#include "siliconprof/ops/op.h"

namespace siliconprof {

enum class Role : std::uint8_t {
  Parameter,
  Gradient,
  OptimizerState,
  Activation,
  Input,
  Temporary
};
inline constexpr int kRoleCount = 6;
/// "parameter", "gradient", "optimizer_state", "activation", "input", "temporary".
std::string_view name(Role role);
/// Throws UnknownNameError.
Role parse_role(std::string_view text);

struct TensorInfo {
  std::string name;
  Shape shape;
  Dtype dtype = Dtype::Float32;
  Role role = Role::Activation;

  std::int64_t bytes() const { return shape.elements() * size_bytes(dtype); }
  bool operator==(const TensorInfo&) const = default;
};

/// A byte count that is computed on first demand, from any thread; -1 until then.
class Remembered {
 public:
  Remembered() = default;
  Remembered(const Remembered& other) : bytes_(other.get()) {}
  Remembered& operator=(const Remembered& other) {
    set(other.get());
    return *this;
  }
  std::int64_t get() const { return bytes_.load(std::memory_order_relaxed); }
  void set(std::int64_t bytes) const { bytes_.store(bytes, std::memory_order_relaxed); }

 private:
  mutable std::atomic<std::int64_t> bytes_{-1};
};

class Trace {
 public:
  explicit Trace(std::string label = "") : label_(std::move(label)) {}

  /// Throws ShapeError when the tensor's bytes overflow.
  TensorId add_tensor(TensorInfo info);
  /// Appends a call whose inputs and outputs are set. Throws ShapeError when a tensor's shape is
  /// not the one that the op needs there, DtypeError when dtypes differ, naming both.
  void append(const OpCall& call);

  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }
  const std::vector<OpCall>& calls() const { return calls_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  /// Sum over the calls.
  const Cost& cost() const { return cost_; }
  /// Elements of all tensors whose role is parameter.
  std::int64_t parameters() const;
  /// Largest live bytes at any call (ops/liveness.h); computed once, then remembered.
  std::int64_t peak_memory_bytes() const;

  bool operator==(const Trace& other) const;

 private:
  std::string label_;
  std::vector<OpCall> calls_;
  std::vector<TensorInfo> tensors_;
  Cost cost_;
  Remembered peak_bytes_;
};

}  // namespace siliconprof
