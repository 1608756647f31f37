#include "siliconprof/workloads/passes/kernel_groups.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/differentiate.h"
#include "workloads/passes/tiny_models.h"

namespace siliconprof {
namespace {

using Members = std::vector<std::vector<std::int32_t>>;

/// A trace of what follows; every input (2, 3) is `x`.
class Traced {
 public:
  TensorId x() { return x_; }
  TensorId call(const char* op, std::initializer_list<std::int64_t> dims,
                std::initializer_list<TensorId> inputs) {
    return b_.call(op, dims, inputs);
  }
  Members groups(TensorId result) { return kernel_groups(std::move(b_).finish(result)).members; }
  Builder& builder() { return b_; }

 private:
  Builder b_{"groups", Dtype::Float32};
  TensorId x_ = b_.input("x", {2, 3});
};

TEST(KernelGroups, WhatGoesOverTheSameElementsSharesAKernel) {
  Traced t;
  const TensorId y = t.call("relu", {6}, {t.x()});
  const TensorId z = t.call("add", {6}, {y, t.x()});
  EXPECT_EQ(t.groups(t.call("softmax", {2, 3, 1}, {z})), (Members{{0, 1, 2}}));
}

TEST(KernelGroups, AProductIsAKernelOfItsOwnAndPartsThoseAroundIt) {
  Traced t;
  const TensorId y = t.call("relu", {6}, {t.x()});
  const TensorId w = t.builder().parameter("w", {3, 3}, {});
  const TensorId z = t.call("matmul", {1, 2, 3, 3}, {y, w});
  EXPECT_EQ(t.groups(t.call("add", {6}, {y, z})), (Members{{0}, {1}, {2}}));
}

TEST(KernelGroups, ReadersOfOneTensorShareAKernelTooIfNothingRunsBetween) {
  Traced t;
  const TensorId y = t.call("relu", {6}, {t.x()});
  const TensorId other = t.call("gelu_erf", {6}, {t.x()});
  // Of another size: beside them, not with them.
  const TensorId sum = t.call("sum", {1, 2, 3}, {y});
  const TensorId small = t.call("relu", {3}, {sum});
  const TensorId wide = t.call("broadcast", {1, 2, 3}, {small});
  EXPECT_EQ(t.groups(t.call("add", {6}, {other, wide})), (Members{{0, 1}, {2, 3}, {4, 5}}));
}

TEST(KernelGroups, RowsOfAnotherLengthAreAnotherKernels) {
  Builder b("rows", Dtype::Float32);
  const TensorId x = b.input("x", {4, 6});
  const TensorId weights = b.parameter("w", {6}, {});
  const TensorId y = b.call("rms_norm", {4, 6}, {x, weights});
  const TensorId others = b.parameter("v", {3}, {});
  const TensorId z = b.call("rms_norm", {8, 3}, {b.view(y, {8, 3}), others});
  EXPECT_EQ(kernel_groups(std::move(b).finish(z)).members, (Members{{0}, {1}}));
}

TEST(KernelGroups, ABatchNormReadsItsDataTwiceSoThatNothingBeforeItJoins) {
  Builder b("norm", Dtype::Float32);
  const TensorId x = b.input("x", {2, 3, 4, 1});
  const TensorId y = b.call("relu", {24}, {x});
  const TensorId w = b.parameter("w", {3}, {});
  const TensorId c = b.parameter("b", {3}, {});
  const TensorId z = b.call("batch_norm", {2, 3, 4}, {y, w, c});
  EXPECT_EQ(kernel_groups(std::move(b).finish(b.call("relu", {24}, {z}))).members,
            (Members{{0}, {1, 2}}));
}

TEST(KernelGroups, HoldEachCallOfAStepOnceAndNeverThoseOfTwoPasses) {
  const Trace trace = differentiate(tiny_gpt2());
  const KernelGroups found = kernel_groups(trace);
  std::size_t calls = 0;
  for (const auto& members : found.members) {
    calls += members.size();
    for (const std::int32_t i : members) {
      EXPECT_EQ(trace.calls()[std::size_t(i)].phase,
                trace.calls()[std::size_t(members.front())].phase);
    }
  }
  EXPECT_EQ(calls, trace.calls().size());
  EXPECT_LT(found.members.size(), calls);
}

}  // namespace
}  // namespace siliconprof
