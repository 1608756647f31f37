#pragma once

// Runs a call's definition on counting scalars and recording arrays, and holds the op's Cost to
// what was counted.

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

#include "counting_scalar.h"
#include "recording_array.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/ops/trace.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::reference {

using CountingArray = RecordingArray<CountingScalar>;

inline CountingArray counting_array(const Shape& shape, OperationCounts* counts) {
  std::vector<CountingScalar> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    values.emplace_back(double(i % 7) - 3.0, counts);
  }
  return CountingArray(std::move(values));
}

/// Operands of a definition (definition.h) that count and record.
struct CountingOperands {
  using Acc = CountingScalar;
  std::vector<CountingArray> inputs;
  std::vector<CountingArray> outputs;
  std::vector<RecordingArray<std::int32_t>> index_inputs;
  std::vector<RecordingArray<std::int32_t>> index_outputs;

  static void step(std::int64_t) {}
  CountingArray& in(std::size_t i) { return inputs.at(i); }
  CountingArray& out(std::size_t i) { return outputs.at(i); }
  template <class T>
  auto& in_as(std::size_t i) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      return index_inputs.at(i);
    } else {
      return inputs.at(i);
    }
  }
  template <class T>
  auto& out_as(std::size_t i) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      return index_outputs.at(i);
    } else {
      return outputs.at(i);
    }
  }
};

/// 0, 1, 2, ... below the limit, then again from 0: as many different ones as there can be.
inline RecordingArray<std::int32_t> counting_indices(const Slot& slot) {
  std::vector<std::int32_t> values;
  for (std::int64_t i = 0; i < slot.shape.elements(); ++i) {
    values.push_back(std::int32_t(slot.index_limit > 0 ? i % slot.index_limit : 0));
  }
  return RecordingArray<std::int32_t>(std::move(values));
}

/// Runs the call's definition; false for an op that has none. Compiled once, in definitions.cpp:
/// all definitions on these operands take seconds.
bool define(const OpCall& call, CountingOperands& operands);

inline void prove_cost(const OpCall& call) {
  SCOPED_TRACE(to_string(call));
  OperationCounts counts;
  const Signature signature = call.op->signature(call);
  CountingOperands operands;
  for (const Slot& slot : signature.inputs) {
    operands.inputs.push_back(counting_array(slot.shape, &counts));
    operands.index_inputs.push_back(counting_indices(slot));
  }
  for (const Slot& slot : signature.outputs) {
    operands.outputs.push_back(counting_array(slot.shape, &counts));
    operands.index_outputs.push_back(counting_indices(slot));
  }

  ASSERT_TRUE(define(call, operands)) << "no definition";

  const Cost cost = call.op->cost(call);
  std::int64_t read = 0;
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    const Dtype dtype = signature.inputs[i].dtype_in(call);
    read += size_bytes(dtype) *
            (operands.inputs[i].distinct_reads() + operands.index_inputs[i].distinct_reads());
    EXPECT_EQ(operands.inputs[i].distinct_writes(), 0);
    EXPECT_EQ(operands.index_inputs[i].distinct_writes(), 0);
  }
  std::int64_t written = 0;
  for (std::size_t i = 0; i < signature.outputs.size(); ++i) {
    const Dtype dtype = signature.outputs[i].dtype_in(call);
    written += size_bytes(dtype) * (operands.outputs[i].distinct_writes() +
                                    operands.index_outputs[i].distinct_writes());
    EXPECT_EQ(operands.outputs[i].distinct_reads(), 0);
  }
  EXPECT_EQ(cost.flops(), counts.total());
  EXPECT_EQ(cost.bytes_read, read);
  EXPECT_EQ(cost.bytes_written, written);
}

/// Every call of the trace, and the trace's own sum.
inline void prove_costs(const Trace& trace) {
  Cost sum;
  for (const OpCall& call : trace.calls()) {
    prove_cost(call);
    sum += call.op->cost(call);
  }
  EXPECT_FALSE(trace.calls().empty());
  EXPECT_EQ(trace.cost(), sum);
}

/// The op and its vector-Jacobian product, where it has one, in a 4-byte and a 2-byte format.
inline void prove_op(std::string_view op, const std::map<std::string, std::int64_t>& dims,
                     const std::map<std::string, double>& attributes) {
  for (const Dtype dtype : {Dtype::Float32, Dtype::BFloat16}) {
    prove_costs(single_op(op, dims, dtype, attributes, false));
    if (find_op(op).vjp != nullptr) prove_costs(single_op(op, dims, dtype, attributes, true));
  }
}

}  // namespace siliconprof::reference
