#pragma once

// What the gradient of a norm takes and makes.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "siliconprof/ops/trace.h"

namespace siliconprof {

/// Of a trace that is one norm in a 16-bit format: the gradient is one call of `backward`, which
/// takes the statistics that the norm kept, in float32, and makes a result for each of its inputs.
inline void expect_gradient_of_kept_statistics(Trace trace, const Op& backward) {
  const OpCall norm = trace.calls()[0];
  const auto there = [](const auto& ids) {
    return std::size_t(std::count_if(ids.begin(), ids.end(), [](auto id) { return id >= 0; }));
  };
  const Dtype dtype = trace.tensors()[0].dtype;
  std::vector<TensorId> cotangents(there(norm.outputs), kNoTensor);
  cotangents[0] = trace.add_tensor({"dy", trace.tensors()[0].shape, dtype, Role::Input});
  const std::vector<TensorId> gradients = norm.op->vjp(trace, norm, cotangents);
  ASSERT_EQ(trace.calls().size(), 2U);
  const OpCall& made = trace.calls()[1];
  EXPECT_EQ(made.op, &backward);
  ASSERT_GT(cotangents.size(), 1U);
  for (std::size_t i = 1; i < cotangents.size(); ++i) {
    EXPECT_EQ(made.inputs[i + 1], norm.outputs[i]) << i;
    EXPECT_EQ(trace.tensors()[std::size_t(norm.outputs[i])].dtype, Dtype::Float32) << i;
  }
  ASSERT_EQ(gradients.size(), there(norm.inputs));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    EXPECT_EQ(trace.tensors()[std::size_t(gradients[i])].shape, trace.tensors()[i].shape) << i;
  }
}

}  // namespace siliconprof
