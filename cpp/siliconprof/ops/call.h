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

inline constexpr int kMaxDims = 8;
inline constexpr int kMaxAttributes = 8;
inline constexpr int kMaxInputs = 6;
inline constexpr int kMaxOutputs = 3;

/// The first N, for a structured binding: auto [m, n] = first<2>(call.dims).
template <std::size_t N, class T, std::size_t M>
constexpr std::array<T, N> first(const std::array<T, M>& values) {
  static_assert(N <= M);
  std::array<T, N> some{};
  for (std::size_t i = 0; i < N; ++i) some[i] = values[i];
  return some;
}

template <std::size_t N>
constexpr std::array<TensorId, N> no_tensors() {
  std::array<TensorId, N> ids{};
  ids.fill(kNoTensor);
  return ids;
}

enum class Phase : std::uint8_t { Forward, Backward, Optimizer, Transfer };
inline constexpr int kPhaseCount = 4;
/// "forward", "backward", "optimizer", "transfer".
std::string_view name(Phase phase);
/// Throws UnknownNameError.
Phase parse_phase(std::string_view text);

/// Whether checkpointing computes a call again, in the backward pass: the first of its block, or
/// one behind it.
enum class Again : std::uint8_t { No, First, Rest };

struct OpCall {
  const Op* op = nullptr;                     // an entry of ops/table.cpp; never null in a trace
  std::array<std::int64_t, kMaxDims> dims{};  // in the order of op->dim_names
  std::array<double, kMaxAttributes> attributes{};  // in the order of op->attributes
  std::array<TensorId, kMaxInputs> inputs = no_tensors<kMaxInputs>();
  std::array<TensorId, kMaxOutputs> outputs = no_tensors<kMaxOutputs>();
  Dtype dtype = Dtype::Float32;
  Phase phase = Phase::Forward;
  bool joins_launch = false;  // runs in the launch of the call before it
  Again again = Again::No;
  /// Goes over operands that lie across each other, or across its own way: places of one are
  /// neighbours in memory, channels of the other (workloads/passes/lie_across.h).
  bool crosses = false;
  /// Its operands are of 16 bits in memory, where it computes in float32.
  bool narrow = false;
  /// Bits of inputs (i) and outputs (kMaxInputs + o) that stay inside the kernel it shares with
  /// calls beside it: no traffic of memory.
  std::uint16_t inside = 0;

  bool is_inside(std::size_t slot) const { return (unsigned{inside} >> slot & 1U) != 0; }

  bool operator==(const OpCall&) const = default;
};

}  // namespace siliconprof
