#include "siliconprof/workloads/passes/checkpoint.h"

#include <gtest/gtest.h>

#include "siliconprof/workloads/passes/adamw.h"
#include "workloads/passes/tiny_models.h"
#include "workloads/passes/traced_values.h"

namespace siliconprof {
namespace {

TEST(Checkpoint, ChangesNoBitOfLossAndGradients) {
  for (const double dropout : {0.0, 0.25}) {
    const Trace forward =
        forward_trace(find_model("gpt2-small"), tiny_gpt2_sizes(), Dtype::Float32, dropout);
    const Trace plain = differentiate(forward);
    const Trace trace = checkpoint(plain);
    EXPECT_GT(trace.calls().size(), plain.calls().size());
    EXPECT_EQ(TracedValues(trace).loss(), TracedValues(plain).loss());
    EXPECT_EQ(TracedValues(trace).gradients(), TracedValues(plain).gradients());
  }
}

TEST(Checkpoint, KeepsOfEachBlockWhatTheNextOneReads) {
  const Sizes sizes{{"batch", 4}, {"seq", 256}, {"layers", 12}, {"vocab", 100}};
  const Trace plain = differentiate(forward_trace(find_model("gpt2-small"), sizes));
  const Trace trace = checkpoint(plain);
  const std::int64_t parameters = trace.parameters() * 4;
  EXPECT_LT(trace.memory().peak_bytes() - 2 * parameters,
            (plain.memory().peak_bytes() - 2 * parameters) / 3);
  EXPECT_LT(trace.cost().flops(), plain.cost().flops() * 4 / 3) << "less than one more forward";
}

TEST(Checkpoint, WorksOnEveryModel) {
  for (const CatalogueEntry& model : models()) {
    const Trace plain = differentiate(forward_trace(model, {}));
    EXPECT_LE(checkpoint(plain).memory().peak_bytes(), plain.memory().peak_bytes()) << model.id;
  }
}

TEST(Checkpoint, LeavesCallsOutsideOfBlocksAlone) {
  Builder b("t", Dtype::Float64);
  b.section("embedding");
  const TensorId p = b.parameter("p", {4}, {});
  const TensorId y = b.call("silu", {4}, {p});
  const Trace plain = differentiate(std::move(b).finish(b.call("sum", {1, 4, 1}, {y})));
  EXPECT_EQ(checkpoint(plain).calls().size(), plain.calls().size());
}

}  // namespace
}  // namespace siliconprof
