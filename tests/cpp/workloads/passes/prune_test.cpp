#include "siliconprof/workloads/passes/prune.h"

#include <gtest/gtest.h>

#include "workloads/passes/tiny_models.h"

namespace siliconprof {
namespace {

TEST(Prune, DropsWhatNoResultNeedsAndItsTensors) {
  Builder b("t", Dtype::Float32);
  const TensorId x = b.input("x", {4});
  const TensorId y = b.call("relu", {4}, {x});
  b.call("silu", {4}, {y});
  const Trace trace = std::move(b).finish(y);
  const Trace pruned = prune(trace);
  EXPECT_EQ(op_sequence(pruned), std::vector<std::string>{"relu"});
  EXPECT_EQ(pruned.tensors().size(), 2U);
  EXPECT_EQ(pruned.tensors()[std::size_t(pruned.results()[0])].shape, (Shape{4}));
}

TEST(Prune, KeepsUpdatesOfParameters) {
  Builder b("t", Dtype::Float32);
  const TensorId p = b.parameter("p", {4}, {});
  const TensorId y = b.call("relu", {4}, {p});
  Trace trace = std::move(b).finish(y);
  OpCall update = trace.calls()[0];
  update.outputs[0] = p;
  trace.append(update);
  EXPECT_EQ(prune(trace).calls().size(), 2U);
}

TEST(Prune, LeavesATraceWithoutResultsAlone) {
  Trace trace = tiny_mlp();
  trace.set_results({});
  EXPECT_EQ(prune(trace), trace);
}

TEST(Prune, KeepsTheSectionsOfCallsThatStay) {
  const Trace trace = prune(tiny_mlp());
  EXPECT_EQ(trace.sections(), tiny_mlp().sections());
}

}  // namespace
}  // namespace siliconprof
