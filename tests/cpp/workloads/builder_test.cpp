#include "siliconprof/workloads/builder.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"

namespace siliconprof {
namespace {

TEST(Builder, MakesOutputsAndViewsInputsInTheShapeThatIsNeeded) {
  Builder b("t", Dtype::Float32);
  b.section("first");
  const TensorId x = b.input("x", {2, 3});
  const TensorId y = b.call("relu", {6}, {x});
  EXPECT_EQ(b.shape(y), (Shape{6}));
  const Trace trace = std::move(b).finish(y);
  EXPECT_EQ(trace.tensors()[std::size_t(y)].name, "first.relu");
  EXPECT_EQ(trace.owner(trace.calls()[0].inputs[0]), x);
  EXPECT_EQ(trace.results(), std::vector<TensorId>{y});
  EXPECT_EQ(trace.label(), "t");
}

TEST(Builder, KeepsStatisticsAsFurtherOutputs) {
  Builder b("t", Dtype::Float16);
  const TensorId x = b.input("x", {2, 3});
  const TensorId w = b.parameter("w", {3}, {});
  const TensorId y = b.call("rms_norm", {2, 3}, {x, w});
  const Trace trace = std::move(b).finish(y);
  const TensorInfo& rrms = trace.tensors()[std::size_t(trace.calls()[0].outputs[1])];
  EXPECT_EQ(rrms.dtype, Dtype::Float32);
  EXPECT_EQ(rrms.name, "rms_norm.1");
}

TEST(Builder, TellsParametersConstantsAndIndices) {
  Builder b("t", Dtype::Float32);
  b.parameter("w", {2}, {Initial::Kind::Normal, 0.5});
  b.frozen("f", {3}, {});
  b.constant("c", {4}, {Initial::Kind::Constant, 1.0});
  const TensorId i = b.indices("i", {5}, 7);
  const Trace trace = std::move(b).finish(i);
  EXPECT_EQ(trace.parameters(), 5);
  EXPECT_EQ(trace.trained_parameters(), 2);
  EXPECT_EQ(trace.tensors()[2].role, Role::Input);
  EXPECT_TRUE(trace.tensors()[2].initial);
  EXPECT_EQ(trace.tensors()[3].index_limit, 7);
}

TEST(Builder, RefusesAnInputOfAnotherSize) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {2, 3});
  EXPECT_THROW(b.call("relu", {7}, {x}), ShapeError);
}

}  // namespace
}  // namespace siliconprof
