#pragma once

// One call of an operation. Dimension letters have one meaning project-wide: batch b, tokens t,
// channels c, heads h, vocab v, and m, k, n of a product (m,k)·(k,n) → (m,n); n alone is a length.

#include <array>
#include <cstdint>
#include <string_view>

#include "siliconprof/core/dtype.h"

namespace siliconprof {

struct Op;

/// Index into Trace::tensors; kNoTensor where a slot is unused.
using TensorId = std::int32_t;
inline constexpr TensorId kNoTensor = -1;

inline constexpr int kMaxDims = 6;
inline constexpr int kMaxAttributes = 4;
inline constexpr int kMaxInputs = 4;
inline constexpr int kMaxOutputs = 3;

enum class Phase : std::uint8_t { Forward, Backward, Optimizer, Transfer };
inline constexpr int kPhaseCount = 4;
/// "forward", "backward", "optimizer", "transfer".
std::string_view name(Phase phase);
/// Throws UnknownNameError.
Phase parse_phase(std::string_view text);

struct OpCall {
  const Op* op = nullptr;                     // an entry of ops/table.cpp; never null in a trace
  std::array<std::int64_t, kMaxDims> dims{};  // in the order of op->dim_names
  std::array<double, kMaxAttributes> attributes{};  // in the order of op->attributes
  std::array<TensorId, kMaxInputs> inputs{kNoTensor, kNoTensor, kNoTensor, kNoTensor};
  std::array<TensorId, kMaxOutputs> outputs{kNoTensor, kNoTensor, kNoTensor};
  Dtype dtype = Dtype::Float32;
  Phase phase = Phase::Forward;

  bool operator==(const OpCall&) const = default;
};

}  // namespace siliconprof
