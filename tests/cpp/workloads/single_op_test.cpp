#include "siliconprof/workloads/single_op.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

TEST(SingleOp, IsOneForwardCallOnInputs) {
  const Trace trace =
      single_op("matmul", {{"m", 2}, {"k", 3}, {"n", 4}}, Dtype::Float32, {}, false);
  ASSERT_EQ(trace.calls().size(), 1U);
  EXPECT_EQ(trace.calls()[0].dims[0], 1) << "batch defaults to 1";
  EXPECT_EQ(trace.calls()[0].phase, Phase::Forward);
  EXPECT_EQ(trace.tensors().size(), 3U);
  EXPECT_EQ(trace.tensors()[0].role, Role::Input);
  EXPECT_EQ(trace.tensors()[2].role, Role::Activation);
  EXPECT_EQ(trace.label(), "matmul batch=1 m=2 k=3 n=4 float32");
}

TEST(SingleOp, ItsLabelHasTheAttributesThatAreNotAsUsual) {
  const std::map<std::string, std::int64_t> sizes{{"batch", 1}, {"m", 2}, {"k", 3}, {"n", 4}};
  const auto label = [&](double transposed) {
    return single_op("matmul", sizes, Dtype::Float32, {{"transpose_a", transposed}}, false).label();
  };
  EXPECT_EQ(label(1.0), "matmul batch=1 m=2 k=3 n=4 transpose_a=1 float32");
  EXPECT_EQ(label(0.0), "matmul batch=1 m=2 k=3 n=4 float32");
  const Trace dropped =
      single_op("dropout", {{"n", 8}}, Dtype::Float32, {{"rate", 0.3}, {"seed", 4.0}}, false);
  EXPECT_EQ(dropped.label(), "dropout n=8 rate=0.3 float32") << "which ones are dropped is no work";
}

TEST(SingleOp, EveryVjpGivesAGradientForEachInput) {
  for (const Op* op : all_ops()) {
    if (op->vjp == nullptr) continue;
    std::map<std::string, std::int64_t> dims;
    for (const auto dim : op->dim_names) dims[std::string(dim)] = 4;  // nt_xent needs pairs
    const Trace forward = single_op(op->name, dims, Dtype::Float32, {}, false);
    const Trace backward = single_op(op->name, dims, Dtype::Float32, {}, true);
    std::vector<Shape> inputs;
    for (const Slot& slot : op->signature(forward.calls()[0]).inputs) {
      if (slot.dtype_in(forward.calls()[0]) != Dtype::Int32) inputs.push_back(slot.shape);
    }
    std::vector<Shape> gradients;
    for (const TensorId id : backward.results()) {
      gradients.push_back(backward.tensors()[std::size_t(id)].shape);
    }
    EXPECT_EQ(gradients, inputs) << op->name;
  }
}

TEST(SingleOp, NamesWhatIsMissingOrUnknown) {
  const auto message = [](auto&& make) -> std::string {
    try {
      make();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([] { single_op("copy", {}, Dtype::Float32, {}, false); }),
            "[copy] dimension n is missing; needed: an integer, 0 or more");
  EXPECT_EQ(message([] {
              single_op("copy", {{"n", 1}, {"nn", 1}}, Dtype::Float32, {}, false);
            }),
            "[copy] unknown dimension 'nn'; did you mean 'n'?; valid: n");
  EXPECT_EQ(message([] {
              single_op("scale", {{"n", 1}}, Dtype::Float32, {{"alhpa", 1.0}}, false);
            }),
            "[scale] unknown attribute 'alhpa'; did you mean 'alpha'?; valid: alpha");
  EXPECT_THROW(single_op("copi", {{"n", 1}}, Dtype::Float32, {}, false), UnknownNameError);
}

}  // namespace
}  // namespace siliconprof
