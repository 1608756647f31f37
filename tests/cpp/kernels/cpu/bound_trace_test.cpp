#include "siliconprof/kernels/cpu/bound_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "siliconprof/core/error.h"
#include "siliconprof/kernels/cpu/caches.h"
#include "siliconprof/ops/table.h"
#include "siliconprof/workloads/single_op.h"

namespace siliconprof::cpu {
namespace {

const Poll kNoPoll;

TensorView view_of(std::vector<double>& values, const Shape& shape) {
  return {values.data(), Dtype::Float64, shape};
}

TEST(BoundTrace, RunsOnBorrowedInputs) {
  const Trace trace = single_op("matvec", {{"m", 2}, {"n", 3}}, Dtype::Float64, {}, false);
  std::vector<double> a{1, 2, 3, 4, 5, 6};
  std::vector<double> x{1, 0, -1};
  const std::array<TensorView, 2> given{view_of(a, {2, 3}), view_of(x, {3})};
  const BoundTrace bound(trace, find_engine("reference"), 1, given);
  bound.run(0, kNoPoll);
  ASSERT_EQ(result_ids(trace), std::vector<TensorId>{2});
  const double* y = bound.view(2).as<double>();
  EXPECT_EQ(y[0], -2.0);
  EXPECT_EQ(y[1], -2.0);
  EXPECT_EQ(bound.view(0).data, a.data()) << "inputs are borrowed, not copied";
}

TEST(BoundTrace, FillsInputsThatAreNotGiven) {
  const Trace trace = single_op("copy", {{"n", 100}}, Dtype::Float32, {}, false);
  const BoundTrace bound(trace, find_engine("reference"), 1, {});
  bound.run(0, kNoPoll);
  const auto* a = bound.view(0).as<float>();
  const auto* b = bound.view(1).as<float>();
  EXPECT_NE(a[0], a[1]);
  EXPECT_EQ(a[99], b[99]);
}

std::vector<bool> told;

/// What kernels of a trace are told of its updates: x, of n numbers, is updated in place, all the
/// operands of that, and copied or not.
std::vector<bool> told_of_updates(std::int64_t n, bool is_read, const char* update = "scale") {
  constexpr auto note = [](const KernelCall& call) { told.push_back(call.others_read_update); };
  static constexpr std::array<Kernel, 3> kernels{{{"scale", note}, {"add", note}, {"copy", note}}};
  const Engine recording{"recording", "", [] { return EngineInfo{}; }, kernels, nullptr};
  Trace trace("updates");
  const TensorId x = trace.add_tensor({"x", Shape{n}, Dtype::Float32, Role::Parameter});
  const Op& op = find_op(update);
  const std::vector<double> attributes(op.attributes.size(), 2.0);
  OpCall call = make_call(op, std::array{n}, Dtype::Float32, attributes);
  const std::size_t operands = op.signature(call).inputs.size();
  std::fill_n(call.inputs.begin(), operands, x);
  call.outputs[0] = x;
  trace.append(call);
  if (is_read) {
    OpCall copy = make_call(find_op("copy"), std::array{n}, Dtype::Float32, {});
    copy.inputs[0] = x;
    copy.outputs[0] = trace.add_tensor({"y", Shape{n}, Dtype::Float32, Role::Temporary});
    trace.append(copy);
  }
  told.clear();
  const BoundTrace bound(trace, recording, 1, {});
  for (std::size_t i = 0; i < trace.calls().size(); ++i) bound.run(i, kNoPoll);
  return told;
}

TEST(BoundTrace, KernelsAreToldWhereOthersReadAnUpdateThatNoCacheKeeps) {
  const std::int64_t fits = last_level_cache_bytes() / 4;
  EXPECT_EQ(told_of_updates(fits, true), (std::vector<bool>{false, false}));
  EXPECT_EQ(told_of_updates(fits + 1, true), (std::vector<bool>{true, false}));
  EXPECT_EQ(told_of_updates(fits + 1, false), std::vector<bool>{false});
  EXPECT_EQ(told_of_updates(fits + 1, false, "add"), std::vector<bool>{false}) << "read twice";
  EXPECT_EQ(told_of_updates(fits + 1, true, "add"), (std::vector<bool>{true, false}));
}

TEST(BoundTrace, RunsWithTheAttributesThatAreSet) {
  const Trace trace = single_op("scale", {{"n", 2}}, Dtype::Float64, {{"alpha", 2.0}}, false);
  std::vector<double> x{1, 3};
  const std::array<TensorView, 1> given{view_of(x, {2})};
  BoundTrace bound(trace, find_engine("reference"), 1, given);
  bound.set_attribute(0, "alpha", -1.0);
  bound.run(0, kNoPoll);
  EXPECT_EQ(bound.view(1).as<double>()[1], -3.0);
  EXPECT_EQ(trace.calls()[0].attributes[0], 2.0) << "the trace stays as it is";
}

TEST(BoundTrace, RefusesAttributesThatTheCallCannotTake) {
  const Trace adamw = single_op("adamw", {{"n", 4}}, Dtype::Float32, {}, false);
  BoundTrace bound(adamw, find_engine("reference"), 1, {});
  EXPECT_THROW(bound.set_attribute(0, "step", 0.0), ArgumentError);
  EXPECT_THROW(bound.set_attribute(1, "step", 2.0), ArgumentError);
  EXPECT_THROW(bound.set_attribute(0, "steps", 2.0), UnknownNameError);
  const Trace pool = single_op(
      "max_pool2d", {{"batch", 1}, {"height", 4}, {"width", 4}, {"channels", 1}, {"kernel", 2}},
      Dtype::Float32, {{"stride", 2.0}}, false);
  BoundTrace pooled(pool, find_engine("reference"), 1, {});
  EXPECT_THROW(pooled.set_attribute(0, "stride", 1.0), ShapeError);
}

TEST(BoundTrace, RefusesWrongInputs) {
  const Trace trace = single_op("copy", {{"n", 4}}, Dtype::Float64, {}, false);
  const Engine& engine = find_engine("reference");
  std::vector<double> values(8);
  const std::array<TensorView, 1> long_one{view_of(values, {8})};
  EXPECT_THROW(BoundTrace(trace, engine, 1, long_one), ShapeError);
  std::array<TensorView, 1> other_dtype{view_of(values, {4})};
  other_dtype[0].dtype = Dtype::Float32;
  EXPECT_THROW(BoundTrace(trace, engine, 1, other_dtype), DtypeError);
  const std::array<TensorView, 2> two{view_of(values, {4}), view_of(values, {4})};
  EXPECT_THROW(BoundTrace(trace, engine, 1, two), ArgumentError);
}

TEST(BoundTrace, RefusesADtypeThatTheEngineLacks) {
  const Trace trace = single_op("copy", {{"n", 4}}, Dtype::Tf32, {}, false);
  EXPECT_THROW(BoundTrace(trace, find_engine("reference"), 1, {}), DtypeError);
}

TEST(BoundTrace, SaysWhatDoesNotFitIntoMemory) {
  const Trace trace = single_op("copy", {{"n", std::int64_t{1} << 50}}, Dtype::Float32, {}, false);
  try {
    const BoundTrace bound(trace, find_engine("reference"), 1, {});
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("takes 4503599627370496 bytes"), std::string::npos);
  }
}

TEST(BoundTrace, CountsInputsAndResults) {
  const Trace trace = single_op("matmul", {{"m", 2}, {"k", 2}, {"n", 2}}, Dtype::Float32, {}, true);
  EXPECT_EQ(input_count(trace), 3U);
  EXPECT_EQ(result_ids(trace).size(), 2U);
}

TEST(BoundTrace, TensorsOfOneNameStartAlikeInAnyTrace) {
  Trace first("t");
  Trace second("u");
  second.add_tensor({"before", {4}, Dtype::Float32, Role::Parameter});
  const TensorInfo info{.name = "w",
                        .shape = {4},
                        .role = Role::Parameter,
                        .initial = Initial{Initial::Kind::Normal, 0.5}};
  const TensorId a = first.add_tensor(info);
  const TensorId b = second.add_tensor(info);
  const BoundTrace one(first, find_engine("reference"), 1, {});
  const BoundTrace other(second, find_engine("reference"), 1, {});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(one.view(a).as<float>()[i], other.view(b).as<float>()[i]);
}

TEST(BoundTrace, ItsBlocksAreWhatIsSharedAndWhatLastsInWholeLines) {
  const Trace trace = single_op("copy", {{"n", 100}}, Dtype::Float32, {}, false);
  EXPECT_EQ(block_bytes(trace), (std::array<std::int64_t, 2>{448, 448}));
}

}  // namespace
}  // namespace siliconprof::cpu
