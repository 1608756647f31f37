#include "siliconprof/workloads/passes/differentiate.h"

#include <gtest/gtest.h>

#include "siliconprof/core/error.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(Differentiate, GivesEveryTrainedParameterAGradientOfItsShape) {
  const Trace trace = differentiate(tiny_gpt2());
  std::int64_t parameters = 0;
  for (const auto& [parameter, gradient] : trace.gradients()) {
    const TensorInfo& of = trace.tensors()[std::size_t(parameter)];
    const TensorInfo& info = trace.tensors()[std::size_t(gradient)];
    EXPECT_EQ(info.shape, of.shape) << of.name;
    EXPECT_EQ(info.name, of.name + ".grad");
    EXPECT_EQ(info.role, Role::Gradient);
    parameters += of.shape.elements();
  }
  EXPECT_EQ(parameters, trace.parameters());
  EXPECT_EQ(trace.results().size(), 1 + trace.gradients().size());
}

TEST(Differentiate, AgreesWithCentralDifferences) { expect_gradients_agree(tiny_mlp(), 1e-9, 20); }

TEST(Differentiate, ComputesNothingThatNoGradientNeeds) {
  const Trace trace = differentiate(tiny_mlp());
  const std::vector<std::string> wanted{
      "linear", "relu",   "linear", "cross_entropy", "fill",   "cross_entropy_backward",
      "matmul", "matmul", "sum",    "relu_backward", "matmul", "sum"};
  EXPECT_EQ(op_sequence(trace), wanted) << "the images' own gradient is left out";
}

// y = x + x, so that the gradient of x is twice the cotangent; and a view is used, too.
TEST(Differentiate, SumsOverSeveralUsesAndMapsViewsToTheirBase) {
  Builder b("t", Dtype::Float64);
  const TensorId p = b.parameter("p", {2, 3}, {Initial::Kind::Constant, 2.0});
  const TensorId twice = b.call("add", {6}, {p, p});
  const TensorId part = b.view(p, {3}, 3);
  const TensorId row = b.call("add", {3}, {b.view(twice, {3}), part});
  const TensorId loss = b.call("sum", {1, 3, 1}, {row});
  const Trace forward = std::move(b).finish(loss);
  // The loss is a tensor of shape (1, 1): row 0 counts twice, row 1 once.
  const Trace trace = differentiate(forward);
  EXPECT_EQ(TracedValues(trace).gradients().at("p"), (std::vector<double>{2, 2, 2, 1, 1, 1}));
}

TEST(Differentiate, TwoParametersNeverShareAGradient) {
  Builder b("t", Dtype::Float64);
  const TensorId p = b.parameter("p", {3}, {Initial::Kind::Constant, 1.0});
  const TensorId q = b.parameter("q", {3}, {Initial::Kind::Constant, 1.0});
  const TensorId loss = b.call("sum", {1, 3, 1}, {b.call("add", {3}, {p, q})});
  const Trace trace = differentiate(std::move(b).finish(loss));
  ASSERT_EQ(trace.gradients().size(), 2U);
  EXPECT_NE(trace.owner(trace.gradients()[0].gradient), trace.owner(trace.gradients()[1].gradient));
}

TEST(Differentiate, LeavesFrozenParametersOut) {
  Trace forward = tiny_mlp();
  for (std::size_t id = 0; id < forward.tensors().size(); ++id) {
    if (forward.tensors()[id].name == "fc2.weight") forward.freeze(TensorId(id));
  }
  const Trace trace = differentiate(forward);
  EXPECT_EQ(trace.gradients().size(), 3U);
  EXPECT_EQ(count_op(trace, "matmul"), 2) << "its product is not made";
}

TEST(Differentiate, ScalesByAFactorAndByACotangent) {
  Trace forward = tiny_mlp();
  const NamedValues plain = TracedValues(differentiate(forward)).gradients();
  const NamedValues half =
      TracedValues(differentiate(forward, forward.results()[0], kNoTensor, 0.5)).gradients();
  const TensorId scale = forward.add_tensor({.name = "scale",
                                             .shape = {1},
                                             .dtype = Dtype::Float64,
                                             .role = Role::OptimizerState,
                                             .initial = Initial{Initial::Kind::Constant, 8.0}});
  const NamedValues eight =
      TracedValues(differentiate(forward, forward.results()[0], scale)).gradients();
  for (const auto& [name, values] : plain) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_DOUBLE_EQ(half.at(name)[i], values[i] / 2) << name;
      EXPECT_DOUBLE_EQ(eight.at(name)[i], values[i] * 8) << name;
    }
  }
}

TEST(Differentiate, RefusesWhatIsNoForwardTrace) {
  const Trace trace = tiny_mlp();
  EXPECT_THROW(differentiate(trace, 1000), ArgumentError);
  Trace twice = trace;
  twice.append(trace.calls()[0]);
  EXPECT_THROW(differentiate(twice), ArgumentError);
}

}  // namespace
}  // namespace siliconprof
