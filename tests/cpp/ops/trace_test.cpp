#include "siliconprof/ops/trace.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/ops/copy.h"
#include "siliconprof/ops/matvec.h"
#include "siliconprof/ops/table.h"

namespace siliconprof {
namespace {

using Dims = std::vector<std::int64_t>;

// y = A·x with A (3, 2).
struct Fixture {
  Trace trace{"t"};
  TensorId a = trace.add_tensor({"A", {3, 2}, Dtype::Float32, Role::Parameter});
  TensorId x = trace.add_tensor({"x", {2}, Dtype::Float32, Role::Input});
  TensorId y = trace.add_tensor({"y", {3}, Dtype::Float32, Role::Activation});
  OpCall call = make_call(kMatvec, Dims{3, 2}, Dtype::Float32, {});

  Fixture() {
    call.inputs[0] = a;
    call.inputs[1] = x;
    call.outputs[0] = y;
  }
};

TEST(Trace, SumsTheCostOfItsCalls) {
  Fixture f;
  f.trace.append(f.call);
  f.trace.append(f.call);
  EXPECT_EQ(f.trace.cost().matrix_flops, 2 * 12);
  EXPECT_EQ(f.trace.cost().bytes_read, 2 * (6 + 2) * 4);
  EXPECT_EQ(f.trace.parameters(), 6);
}

TEST(Trace, RefusesShapesThatDontChain) {
  Fixture f;
  f.call.inputs[1] = f.y;
  try {
    f.trace.append(f.call);
    FAIL() << "no error";
  } catch (const ShapeError& error) {
    EXPECT_EQ(std::string(error.what()), "[matvec] input 1 'y' has shape (3); needed: (2)");
  }
  EXPECT_TRUE(f.trace.calls().empty());
}

TEST(Trace, RefusesMixedDtypes) {
  Fixture f;
  f.call.inputs[1] = f.trace.add_tensor({"h", {2}, Dtype::Float16, Role::Input});
  EXPECT_THROW(f.trace.append(f.call), DtypeError);
}

TEST(Trace, RefusesIdsThatArentThere) {
  Fixture f;
  f.call.outputs[0] = 99;
  EXPECT_THROW(f.trace.append(f.call), ShapeError);
  f.call.outputs[0] = kNoTensor;
  EXPECT_THROW(f.trace.append(f.call), ShapeError);
}

/// What is refused, with nothing appended.
void expect_overlap(Trace& trace, const OpCall& call, const std::string& message) {
  try {
    trace.append(call);
    ADD_FAILURE() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
  EXPECT_TRUE(trace.calls().empty());
}

TEST(Trace, RefusesAnOutputThatIsAnInputOfAnOpThatCannotUpdate) {
  Trace trace("t");
  const TensorId x = trace.add_tensor({"x", {2, 2, 1}, Dtype::Float32, Role::Input});
  OpCall call = make_call(find_op("softmax"), Dims{2, 2, 1}, Dtype::Float32, {});
  call.inputs[0] = call.outputs[0] = x;
  expect_overlap(trace, call, "[softmax] output 0 'x' overlaps 'x'; needed: memory of its own");
}

// scale may update all of its input, but not a part that begins elsewhere.
TEST(Trace, RefusesAnOutputThatOverlapsAnInputInPart) {
  Trace trace("t");
  const TensorId whole = trace.add_tensor({"whole", {6}, Dtype::Float32, Role::Input});
  OpCall call = make_call(find_op("scale"), Dims{4}, Dtype::Float32, {});
  call.inputs[0] = trace.add_view(whole, {4}, 0);
  call.outputs[0] = trace.add_view(whole, {4}, 1);
  expect_overlap(trace, call,
                 "[scale] output 0 'whole' overlaps 'whole'; needed: memory of its own");
  call.outputs[0] = trace.add_view(whole, {4}, 0);
  trace.append(call);
  EXPECT_EQ(trace.calls().size(), 1U);
}

TEST(Trace, RefusesOutputsThatAreOneTensor) {
  Trace trace("t");
  OpCall call = make_call(find_op("silu_gate_backward"), Dims{3}, Dtype::Float32, {});
  call.inputs[0] = trace.add_tensor({"gate", {3}, Dtype::Float32, Role::Activation});
  call.inputs[1] = trace.add_tensor({"up", {3}, Dtype::Float32, Role::Activation});
  call.inputs[2] = trace.add_tensor({"dy", {3}, Dtype::Float32, Role::Gradient});
  call.outputs[0] = trace.add_tensor({"d", {3}, Dtype::Float32, Role::Gradient});
  call.outputs[1] = call.outputs[0];
  expect_overlap(trace, call,
                 "[silu_gate_backward] output 1 'd' overlaps 'd'; needed: memory of its own");
}

TEST(Trace, RefusesAnIndexedOpThatUpdatesAnotherThanItsFirstInput) {
  Trace trace("t");
  OpCall call = make_call(find_op("scatter"), Dims{2, 2, 3}, Dtype::Float32, {});
  call.inputs[0] = trace.add_tensor({"x", {2, 3}, Dtype::Float32, Role::Input});
  call.inputs[1] = trace.add_tensor({"index", {2}, Dtype::Int32, Role::Input});
  call.inputs[2] = trace.add_tensor({"updates", {2, 3}, Dtype::Float32, Role::Input});
  call.outputs[0] = call.inputs[2];
  expect_overlap(trace, call,
                 "[scatter] output 0 'updates' overlaps 'updates'; needed: memory of its own");
  call.outputs[0] = call.inputs[0];
  trace.append(call);
  EXPECT_EQ(trace.calls().size(), 1U);
}

TEST(Trace, RemembersPeakMemoryUntilItGrows) {
  Fixture f;
  f.trace.append(f.call);
  EXPECT_EQ(f.trace.memory().peak_bytes(), (6 + 2 + 3) * 4);
  OpCall copy = make_call(kCopy, Dims{3}, Dtype::Float32, {});
  copy.inputs[0] = f.y;
  copy.outputs[0] = f.trace.add_tensor({"z", {3}, Dtype::Float32, Role::Activation});
  f.trace.append(copy);
  EXPECT_EQ(f.trace.memory().peak_bytes(), (6 + 2 + 3 + 3) * 4);
}

TEST(Trace, SectionsNameStretchesOfCalls) {
  Fixture f;
  f.trace.append(f.call);
  f.trace.begin_section("empty");
  f.trace.begin_section("h.0.attention");
  f.trace.append(f.call);
  f.trace.begin_section("h.0.attention");
  f.trace.append(f.call);
  f.trace.begin_section("head");
  f.trace.append(f.call);
  ASSERT_EQ(f.trace.sections().size(), 2U);
  EXPECT_EQ(f.trace.section_of_calls(), (std::vector<std::int32_t>{-1, 0, 0, 1}));
  EXPECT_EQ(f.trace.sections()[0].block(), "h.0");
  EXPECT_EQ(f.trace.sections()[1].block(), "");
}

TEST(Trace, FrozenParametersAreParametersThatArentTrained) {
  Fixture f;
  const TensorId b = f.trace.add_tensor({"b", {5}, Dtype::Float32, Role::Parameter});
  EXPECT_EQ(f.trace.trained_parameters(), 11);
  f.trace.freeze(b);
  EXPECT_EQ(f.trace.trained_parameters(), 6);
  EXPECT_EQ(f.trace.parameters(), 11);
  f.trace.rename(b, "c");
  EXPECT_EQ(f.trace.tensors()[std::size_t(b)].name, "c");
}

TEST(Trace, NamesTheGradientsOfItsParameters) {
  Fixture f;
  f.trace.set_gradients({{f.a, f.y}});
  EXPECT_EQ(f.trace.gradients()[0].gradient, f.y);
  EXPECT_FALSE(f.trace == Fixture().trace);
}

// In memory tf32 is float32: a product may be in tf32 between float32 tensors, and no other way.
TEST(Trace, Tf32IsFloat32InMemory) {
  Fixture f;
  f.call.dtype = Dtype::Tf32;
  f.trace.append(f.call);
  f.call.dtype = Dtype::BFloat16;
  EXPECT_THROW(f.trace.append(f.call), DtypeError);
}

TEST(Trace, RefusesMoreCallsThanItMayHave) {
  Trace trace("t");
  const TensorId x = trace.add_tensor({"x", {1}, Dtype::Float32, Role::Input});
  OpCall call = make_call(find_op("relu"), std::array<std::int64_t, 1>{1}, Dtype::Float32, {});
  call.inputs[0] = x;
  call.outputs[0] = trace.add_tensor({"y", {1}, Dtype::Float32, Role::Activation});
  for (std::size_t i = 0; i < Trace::kMostCalls; ++i) trace.append(call);
  EXPECT_THROW(trace.append(call), ShapeError);
  EXPECT_EQ(trace.calls().size(), Trace::kMostCalls);
}

}  // namespace
}  // namespace siliconprof
