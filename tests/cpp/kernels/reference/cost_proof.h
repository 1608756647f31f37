#pragma once

// Runs a call's definition on counting scalars and recording arrays, and holds the op's Cost to
// what was counted.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "counting_scalar.h"
#include "function_of_name.h"
#include "recording_array.h"
#include "siliconprof/kernels/reference/broadcast.h"
#include "siliconprof/kernels/reference/elementwise.h"
#include "siliconprof/kernels/reference/matmul.h"
#include "siliconprof/kernels/reference/matvec.h"
#include "siliconprof/kernels/reference/outer.h"
#include "siliconprof/kernels/reference/softmax.h"
#include "siliconprof/kernels/reference/sum.h"
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

inline void run_definition(const OpCall& call, std::vector<CountingArray>& in, CountingArray& out) {
  const auto step = [](std::int64_t) {};
  const std::string op(call.op->name);
  if (op == "matmul") return matmul<CountingScalar>(call, in[0], in[1], out, step);
  if (op == "matvec") return matvec<CountingScalar>(call, in[0], in[1], out, step);
  if (op == "outer") return outer<CountingScalar>(call, in[0], in[1], out, step);
  if (op == "copy") return copy(call, in[0], out, step);
  if (op == "add") return add<CountingScalar>(call, in[0], in[1], out, step);
  if (op == "scale") return scale<CountingScalar>(call, in[0], out, step);
  if (op == "triad") return triad<CountingScalar>(call, in[0], in[1], out, step);
  if (op == "sum") return sum<CountingScalar>(call, in[0], out, step);
  if (op == "broadcast") return broadcast(call, in[0], out, step);
  if (op == "softmax") return softmax<CountingScalar>(call, in[0], out, step);
  if (op == "softmax_backward") {
    return softmax_backward<CountingScalar>(call, in[0], in[1], out, step);
  }
  if (define_function<CountingScalar>(call, in, out)) return;
  FAIL() << "no definition of " << op;
}

inline void prove_cost(const OpCall& call) {
  SCOPED_TRACE(to_string(call));
  OperationCounts counts;
  const Signature signature = call.op->signature(call);
  std::vector<CountingArray> inputs;
  for (const Shape& shape : signature.inputs) inputs.push_back(counting_array(shape, &counts));
  ASSERT_EQ(signature.outputs.size(), 1U);
  CountingArray output = counting_array(signature.outputs[0], &counts);

  run_definition(call, inputs, output);

  const Cost cost = call.op->cost(call);
  std::int64_t elements_read = 0;
  for (const CountingArray& input : inputs) {
    elements_read += input.distinct_reads();
    EXPECT_EQ(input.distinct_writes(), 0);
  }
  EXPECT_EQ(cost.flops(), counts.total());
  EXPECT_EQ(cost.bytes_read, elements_read * size_bytes(call.dtype));
  EXPECT_EQ(cost.bytes_written, output.distinct_writes() * size_bytes(call.dtype));
  EXPECT_EQ(output.distinct_reads(), 0);
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
